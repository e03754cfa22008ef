use crate::style::{Color, Palette};

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

#[test]
fn style_sheets_have_the_colors_of_the_site() {
    let pair = |light, dark| (Color::parse(light).unwrap(), Color::parse(dark).unwrap());
    let blue = pair("#003366", "#99ccff");
    let palette = Palette {
        primary: blue,
        info: blue,
        success: blue,
        warning: blue,
        danger: blue,
        corner: 3,
    };
    let style = palette.style();
    assert!(style.contains("--primary: light-dark(#003366, #99ccff);"), "{style}");
    assert!(style.contains("--on-primary: light-dark(#ffffff, #000000);"), "{style}");
    assert!(style.contains("--corner: 3px;"), "{style}");
}
