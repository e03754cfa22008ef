//! Pictures of pages, drawn by the typesetter.

use openapi::error::ApiError;
use platform::{blobs::StoredBlob, hash::Hash};
use print::{Book, BookPage, ImageSource, process};
use serde_json::{Value, json};

use super::{
    Authoring,
    printer::{Manuscript, PrintError, locale},
};

/// The name of the logo among the images.
const LOGO: &str = "logo";

/// The content of a picture.
pub struct PageCard {
    pub title: String,
    pub description: Option<String>,
    /// The title of the site.
    pub site: String,
    pub language: String,
    /// Red, green and blue.
    pub color: [u8; 3],
    pub logo: Option<StoredBlob>,
}

impl PageCard {
    /// The hash of all that the picture is made from.
    pub fn hash(&self) -> Result<Hash, ApiError> {
        let logo = self.logo.as_ref().map(|logo| logo.name.hash.to_string());
        Ok(Hash::of(&serde_json::to_vec(&(
            print::FORM_VERSION,
            self.book(),
            logo,
        ))?))
    }

    /// Makes the picture, a PNG. `None`: the typesetter refuses it.
    pub async fn draw(&self, authoring: &Authoring) -> Result<Option<Vec<u8>>, ApiError> {
        let logo = json!({ "k": "image", "src": LOGO, "alt": "" });
        let nodes: Vec<Value> = self.logo.iter().map(|_| logo.clone()).collect();
        let manuscript = Manuscript {
            frames: vec![process::frame(&self.book())?, process::frame(&nodes)?],
            images: self.logo.iter().cloned().collect(),
        };
        match authoring
            .printer
            .draw(manuscript, &authoring.kernel.blobs.objects)
            .await
        {
            Ok(picture) => Ok(Some(picture)),
            Err(PrintError::Refused(_)) => Ok(None),
            Err(PrintError::Server(error)) => Err(ApiError::internal(format!("{error:#}"))),
        }
    }

    fn book(&self) -> Book {
        let (language, region) = locale(&self.language);
        let logo = self.logo.as_ref().map(|logo| ImageSource {
            name: LOGO.to_owned(),
            size: logo.size,
        });
        Book {
            title: self.site.clone(),
            language,
            region,
            picture: Some(self.color),
            pages: vec![BookPage {
                level: 1,
                label: String::new(),
                title: self.title.clone(),
                description: self.description.clone(),
                nodes: Vec::new(),
            }],
            images: logo.into_iter().collect(),
            ..Book::default()
        }
    }
}
