use crate::{
    Href,
    style::{Color, Font, FontFile, FontKind, Palette},
};

const LIGHT: Color = Color([0xf5, 0xf6, 0xf8]);
const DARK: Color = Color([0x1f, 0x22, 0x26]);

#[test]
fn colors_are_readable_on_both_pages() {
    for text in ["#fff", "#000", "#ffff00", "#808080", "#ABCDEF", "#1e88e5"] {
        let color = Color::parse(text).unwrap();
        for page in [LIGHT, DARK] {
            assert!(color.readable_on(page).contrast(page) >= 4.5, "{text}");
        }
    }
    let readable = Color::parse("#003366").unwrap();
    assert_eq!(readable.readable_on(LIGHT), readable);
}

#[test]
fn other_texts_are_no_colors() {
    for text in ["", "#", "#ff", "#ggg", "red", "#fffffff", "#12345é"] {
        assert_eq!(Color::parse(text), None, "{text}");
    }
}

fn font(family: &str, kind: FontKind) -> Font {
    Font {
        family: family.to_owned(),
        kind,
        files: Vec::new(),
    }
}

fn file(weight: u32, path: &str, format: Option<&'static str>) -> FontFile {
    FontFile {
        weight,
        href: Href::path(path),
        format,
    }
}

fn palette(font_of_texts: Font) -> Palette {
    let pair = |light, dark| (Color::parse(light).unwrap(), Color::parse(dark).unwrap());
    let blue = pair("#003366", "#99ccff");
    Palette {
        primary: blue,
        info: blue,
        success: blue,
        warning: blue,
        danger: blue,
        corner: 3,
        font: font_of_texts,
        heading: None,
        mono: font("Fira Code", FontKind::Mono),
    }
}

#[test]
fn style_sheets_have_the_colors_of_the_site() {
    let style = palette(font("Inter", FontKind::Sans)).style();
    assert!(style.contains("--primary: light-dark(#003366, #99ccff);"), "{style}");
    assert!(style.contains("--on-primary: light-dark(#ffffff, #000000);"), "{style}");
    assert!(style.contains("--corner: 3px;"), "{style}");
}

#[test]
fn fonts_of_the_system_take_the_place_of_others() {
    let style = palette(font("Inter", FontKind::Sans)).style();
    assert!(style.contains("--font: \"Inter\", var(--system);"), "{style}");
    assert!(style.contains("--mono: \"Fira Code\", var(--system-mono);"), "{style}");
    assert!(!style.contains("--heading") && !style.contains("@font-face"), "{style}");
    let heading = Palette {
        heading: Some(font("Merriweather", FontKind::Serif)),
        ..palette(font("Inter", FontKind::Sans))
    };
    let style = heading.style();
    assert!(
        style.contains("--heading: \"Merriweather\", var(--system-serif);"),
        "{style}"
    );
}

#[test]
fn files_of_fonts_are_loaded() {
    let style = palette(Font {
        files: vec![
            file(400, "/files/fonts/a/b.woff2", Some("woff2")),
            file(400, "/files/fonts/a/c.woff", None),
            file(700, "//evil.example/d.woff2", None),
        ],
        ..font("Tide Sans", FontKind::Sans)
    })
    .style();
    for rule in [
        "@font-face { font-family: \"Tide Sans\"; font-weight: 400; font-display: swap; \
         src: url(\"/files/fonts/a/b.woff2\") format(\"woff2\"), url(\"/files/fonts/a/c.woff\"); }\n",
        // The path is one of the site.
        "font-weight: 700; font-display: swap; src: url(\"/evil.example/d.woff2\"); }\n",
    ] {
        assert!(style.contains(rule), "{rule}: {style}");
    }
}

#[test]
fn hostile_names_of_fonts_change_nothing() {
    let plain = palette(font("Tide", FontKind::Sans)).style();
    for family in [
        "\"}</style><script>",
        "x; } body{display:none}",
        "a\\",
        "a\n} b { c: d",
        "/* ",
        "url(https://evil.example)",
        "@import 'x'",
        "e\u{301}\u{0}",
    ] {
        let hostile = Font {
            files: vec![file(400, &format!("/{family}"), None)],
            ..font(family, FontKind::Sans)
        };
        let style = palette(hostile).style();
        let (rule, rest) = style.split_once('\n').unwrap();
        // What is left without strings is as for any other name.
        let bare = |text: &str| text.split('"').step_by(2).collect::<Vec<_>>().join("_");
        let expected = "@font-face { font-family: _; font-weight: 400; font-display: swap; src: url(_); }";
        assert_eq!(bare(rule), expected, "{family}");
        assert_eq!(bare(rest), bare(&plain), "{family}");
        for end in ["</", "\\\"", "*/", "/*", ";}", "{d", "(h"] {
            assert!(!style.contains(end), "{family}: {style}");
        }
    }
}

#[test]
fn the_style_sheet_is_short() {
    assert!(crate::style::STYLE.bytes.len() <= 20 * 1024);
}
