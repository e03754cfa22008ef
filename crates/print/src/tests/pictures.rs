use serde_json::json;
use typst::foundations::Bytes;

use super::{book, hostile::CODE};
use crate::{Book, ImageSource, typeset::typeset};

const LOGO: &[u8] =
    b"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'><rect width='90' height='30' fill='red'/></svg>";

fn card(title: &str) -> Book {
    let mut card = book(vec![json!({ "k": "image", "src": "logo", "alt": "" })]);
    card.picture = Some([0x34, 0x6d, 0xdb]);
    card.title = title.to_owned();
    card.pages[0].title = title.to_owned();
    card.pages[0].description = Some(title.to_owned());
    card
}

fn drawn(card: Book, images: Vec<Bytes>) -> Vec<u8> {
    let picture = typeset(card, images, &[]).unwrap().file;
    let size = imagesize::blob_size(&picture).unwrap();
    assert_eq!((size.width, size.height), (1200, 630));
    picture
}

#[test]
fn pictures_show_title_and_logo() {
    let with_logo = |title: &str, bytes: &'static [u8]| {
        let mut card = card(title);
        let size = bytes.len() as u64;
        card.images = vec![ImageSource {
            name: "logo".to_owned(),
            size,
        }];
        drawn(card, vec![Bytes::new(bytes)])
    };
    let plain = drawn(card("Moorings"), Vec::new());
    assert_ne!(plain, with_logo("Moorings", LOGO));
    assert_ne!(plain, drawn(card("Anchors"), Vec::new()));
    // What is no image leaves the title of the site in its place.
    assert_eq!(plain, with_logo("Moorings", b"no image"));
}

#[test]
fn titles_of_pictures_are_never_code() {
    for text in CODE {
        drawn(card(text), Vec::new());
    }
    drawn(card(&"long ".repeat(2000)), Vec::new());
    drawn(card(&"\u{6d6a}".repeat(2000)), Vec::new());
    drawn(card(""), Vec::new());
}
