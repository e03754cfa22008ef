//! The wire form of embeds.

use embeds::Embed;
use openapi::models;

pub fn embed(embed: &Embed) -> models::Embed {
    let (title, site) = (embed.title.clone(), embed.site.clone());
    let icon = embed.icon.as_ref().map(ToString::to_string);
    match &embed.frame {
        None => models::Embed::EmbedLink(models::EmbedLink {
            r#type: Default::default(),
            title,
            site,
            icon,
        }),
        Some(frame) => models::Embed::EmbedRich(models::EmbedRich {
            r#type: Default::default(),
            html: frame.html(&title),
            title,
            site,
            icon,
        }),
    }
}
