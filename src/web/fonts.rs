//! The fonts of a site, from its customization.

use openapi::{
    enums::Enumeration,
    models::{
        CustomizationDefaultFont as Text, CustomizationDefaultMonospaceFont as Mono, CustomizationFont,
        CustomizationFontDefinitionInput, CustomizationMonospaceFont, CustomizationStyling,
        CustomizationStylingHeadingFont,
    },
    values::Inner,
};
use web::{
    Href,
    style::{Font, FontFile, FontKind},
};

use super::site::Site;

pub fn text(site: &Site, styling: &CustomizationStyling) -> Font {
    match &styling.font {
        CustomizationFont::String(name) => known(*name),
        CustomizationFont::Object(font) => with_files(site, font, FontKind::Sans),
    }
}

pub fn heading(site: &Site, styling: &CustomizationStyling) -> Option<Font> {
    Some(match styling.heading_font.inner()? {
        CustomizationStylingHeadingFont::String(name) => known(*name),
        CustomizationStylingHeadingFont::Object(font) => with_files(site, font, FontKind::Sans),
    })
}

pub fn mono(site: &Site, styling: &CustomizationStyling) -> Font {
    match &styling.monospace_font {
        CustomizationMonospaceFont::String(name) => known_mono(*name),
        CustomizationMonospaceFont::Object(font) => with_files(site, font, FontKind::Mono),
    }
}

/// A font with those of its files that come from the host of the site: pages load none from elsewhere.
fn with_files(site: &Site, font: &CustomizationFontDefinitionInput, kind: FontKind) -> Font {
    let faces = font.font_faces.iter();
    let sources = faces.flat_map(|face| face.sources.iter().map(|source| (face.weight, source)));
    let files = sources.filter_map(|(weight, source)| {
        Some(FontFile {
            weight,
            href: Href::path(&site.own_path(&source.url)?),
            format: source.format.map(Enumeration::as_str),
        })
    });
    Font {
        family: font.font_family.clone(),
        kind,
        files: files.collect(),
    }
}

/// A font by its name, for readers who have it on their system.
fn known(name: Text) -> Font {
    let (family, kind) = match name {
        Text::AbcFavorit => ("ABC Favorit", FontKind::Sans),
        Text::RobotoSlab => ("Roboto Slab", FontKind::Serif),
        Text::OpenSans => ("Open Sans", FontKind::Sans),
        Text::SourceSansPro => ("Source Sans Pro", FontKind::Sans),
        Text::Merriweather => ("Merriweather", FontKind::Serif),
        Text::NotoSans => ("Noto Sans", FontKind::Sans),
        Text::IbmPlexSerif => ("IBM Plex Serif", FontKind::Serif),
        Text::FiraSans => ("Fira Sans", FontKind::Sans),
        Text::Inter | Text::Roboto | Text::Lato | Text::Ubuntu | Text::Raleway | Text::Overpass | Text::Poppins => {
            (name.as_str(), FontKind::Sans)
        }
    };
    without_files(family, kind)
}

fn known_mono(name: Mono) -> Font {
    let family = match name {
        Mono::FiraCode => "Fira Code",
        Mono::IbmPlexMono => "IBM Plex Mono",
        Mono::JetBrainsMono => "JetBrains Mono",
        Mono::SourceCodePro => "Source Code Pro",
        Mono::RobotoMono => "Roboto Mono",
        Mono::SpaceMono => "Space Mono",
        Mono::DmMono => "DM Mono",
        Mono::Inconsolata => "Inconsolata",
    };
    without_files(family, FontKind::Mono)
}

fn without_files(family: &str, kind: FontKind) -> Font {
    Font {
        family: family.to_owned(),
        kind,
        files: Vec::new(),
    }
}
