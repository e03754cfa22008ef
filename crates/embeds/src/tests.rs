use proptest::prelude::*;
use url::Url;

use super::{Embed, Frame, OEmbed, PageMetadata};

fn address() -> Url {
    Url::parse("https://videos.tidewater.example/watch/7?list=2").unwrap()
}

fn read(html: &str) -> PageMetadata {
    PageMetadata::read(html.as_bytes(), Some("text/html; charset=utf-8"), &address())
}

#[test]
fn a_page_states_its_metadata() {
    let page = read(
        r#"<!doctype html><head><title>Fingers &amp; grippers | Tidewater</title>
        <meta property="og:title" content="Fingers &amp; grippers"><meta property="OG:site_name" content="Tidewater">
        <meta property="og:title" content="A second title">
        <link rel="shortcut icon" href="/favicon.ico"><link rel="apple-touch-icon" href="/touch.png">
        <link rel="alternate" type="application/json+oembed" href="../oembed?url=1&amp;format=json">"#,
    );
    assert_eq!(page.title.as_deref(), Some("Fingers & grippers"));
    assert_eq!(page.site.as_deref(), Some("Tidewater"));
    assert_eq!(
        page.icon.unwrap().as_str(),
        "https://videos.tidewater.example/favicon.ico"
    );
    assert_eq!(
        page.oembed.unwrap().as_str(),
        "https://videos.tidewater.example/oembed?url=1&format=json"
    );
}

#[test]
fn html_itself_has_a_title() {
    let page = read(
        "<base href='https://cdn.example/a/'><title>\n  A\u{202e} <b>title</b>\t of\u{0} many words </title><link rel=icon href=i.png>",
    );
    assert_eq!(page.title.as_deref(), Some("A <b>title</b> of\u{fffd} many words"));
    assert_eq!(page.icon.unwrap().as_str(), "https://cdn.example/a/i.png");
    let drawing = read("<title>Page</title><svg><title>Drawing</title></svg>");
    assert_eq!(drawing.title.as_deref(), Some("Page"));
}

#[test]
fn scripts_and_comments_have_no_metadata() {
    let page = read(
        r#"<script>'<meta property="og:title" content="script">'</script><!-- <title>comment</title> -->
        <style><meta property="og:title" content="style"></style><textarea><title>text</title></textarea>"#,
    );
    assert_eq!(page, PageMetadata::default());
}

#[test]
fn addresses_of_pages_are_of_the_web() {
    for href in [
        "javascript:alert(1)",
        "data:image/png;base64,AA",
        "file:///etc/passwd",
        "https://a:b@c.example/",
    ] {
        let page = read(&format!(
            r#"<base href="{href}"><link rel=icon href="{href}"><link rel=icon href=/next.png>"#
        ));
        assert_eq!(
            page.icon.unwrap().as_str(),
            "https://videos.tidewater.example/next.png",
            "{href}"
        );
    }
}

#[test]
fn pages_are_decoded_as_browsers_do() {
    let latin: &[u8] = b"<meta charset=iso-8859-1><title>Caf\xe9</title>";
    let title = |bytes: &[u8], content_type| PageMetadata::read(bytes, content_type, &address()).title.unwrap();
    assert_eq!(title(latin, None), "Café");
    assert_eq!(title(latin, Some("text/html;charset=\"windows-1251\"")), "Cafй");
    let japanese: &[u8] =
        b"<meta http-equiv=content-type content='text/html; charset=shift_jis'><title>\x83e\x83X\x83g</title>";
    assert_eq!(title(japanese, Some("text/html")), "テスト");
    assert_eq!(
        title(
            b"\xef\xbb\xbf<title>\xc3\xa9</title>",
            Some("text/html; charset=iso-8859-1")
        ),
        "é"
    );
    assert_eq!(title(b"<meta charset=utf-16><title>\xc3\xa9</title>", None), "é");
}

#[test]
fn long_titles_are_cut() {
    let title = read(&format!("<title>{}</title>", "word ".repeat(100_000)))
        .title
        .unwrap();
    assert_eq!(title.chars().count(), super::text::MAX_TITLE);
    assert!(title.ends_with('…'));
}

#[test]
fn an_oembed_response_offers_a_frame() {
    let json = serde_json::json!({
        "type": "video", "version": "1.0", "title": "Fingers", "provider_name": "Videos", "width": 640, "height": "360",
        "html": "<div><iframe src=\"//player.example/7?a=1&amp;b=2\" onload=\"alert(1)\" width=\"100%\"></iframe><script>alert(2)</script></div>",
    });
    let embed = OEmbed::read(json.to_string().as_bytes()).unwrap();
    assert_eq!(
        (embed.title.as_deref(), embed.site.as_deref()),
        (Some("Fingers"), Some("Videos"))
    );
    let frame = embed.frame.unwrap();
    assert_eq!((frame.width, frame.height), (Some(640), Some(360)));
    let html = frame.html("\"><script>alert(3)</script>");
    assert!(
        html.starts_with("<iframe src=\"https://player.example/7?a=1&amp;b=2\" title=\"&quot;&gt;&lt;script&gt;"),
        "{html}"
    );
    assert!(!html.contains("onload") && !html.contains("<script"), "{html}");
}

#[test]
fn known_metadata_is_put_together() {
    let address = address();
    let page = read("<title>Page</title><link rel=icon href=/i.png>");
    let plain = Embed::of(&address, page, OEmbed::default());
    assert_eq!(
        (plain.title.as_str(), plain.site.as_str()),
        ("Page", "videos.tidewater.example")
    );
    assert!(plain.icon.is_some() && plain.frame.is_none());
    let page = read("<title>Page</title><meta name=application-name content=App>");
    let oembed = OEmbed::read(br#"{"type":"link","title":"From oEmbed"}"#).unwrap();
    let named = Embed::of(&address, page, oembed);
    assert_eq!((named.title.as_str(), named.site.as_str()), ("From oEmbed", "App"));
    let unknown = Embed::of_address(&address);
    assert_eq!(unknown.title, "videos.tidewater.example/watch/7");
    let mail = Embed::of_address(&Url::parse("mailto:ines@tidewater.example").unwrap());
    assert_eq!(
        (mail.title.as_str(), mail.site.as_str()),
        ("mailto:ines@tidewater.example", "mailto")
    );
}

#[test]
fn other_html_is_not_taken() {
    let frame_of = |html: &str| {
        let json = serde_json::json!({"type": "rich", "html": html});
        OEmbed::read(json.to_string().as_bytes()).unwrap().frame
    };
    for html in [
        "<script src=https://a.example/x.js></script>",
        "<blockquote>text</blockquote>",
        "<iframe src=javascript:alert(1)></iframe>",
        "<iframe src=http://plain.example/></iframe>",
        "<iframe src=https://a:b@c.example/></iframe>",
        "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
        "<!-- <iframe src=https://a.example/> -->",
    ] {
        assert_eq!(frame_of(html), None, "{html}");
    }
    let huge = frame_of("<iframe src=https://a.example/ width=99999 height=-1></iframe>").unwrap();
    assert_eq!((huge.width, huge.height), (None, None));
    assert!(huge.html("A title").contains(" height=\"400\""));
    for json in ["", "[]", "null", r#"{"type":7}"#, r#"{"type":"other"}"#, "{"] {
        assert_eq!(OEmbed::read(json.as_bytes()), None, "{json}");
    }
    let photo =
        br#"{"type":"photo","url":"https://a.example/p.png","title":"P","html":"<iframe src=https://a.example/>"}"#;
    assert_eq!(OEmbed::read(photo).unwrap().frame, None);
}

proptest! {
    /// Whatever is in a response, the HTML of an embed is one element with nothing that runs in the page around it.
    #[test]
    fn any_html_becomes_one_frame(html in r#"(<iframe |src=|https://|[a-z"'<>/= &;:]|\PC){0,40}"#, title in r#"["'<>&a-z ]{0,20}"#) {
        let json = serde_json::json!({"type": "rich", "html": html});
        if let Some(OEmbed { frame: Some(frame), .. }) = OEmbed::read(json.to_string().as_bytes()) {
            let html = Frame::html(&frame, &title);
            prop_assert_eq!(html.matches('<').count(), 2, "{}", html);
            prop_assert_eq!(html.matches('>').count(), 2, "{}", html);
            prop_assert_eq!(html.matches('"').count() % 2, 0, "{}", html);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400), content_type in proptest::option::of("\\PC{0,30}")) {
        PageMetadata::read(&bytes, content_type.as_deref(), &address());
        OEmbed::read(&bytes);
    }
}
