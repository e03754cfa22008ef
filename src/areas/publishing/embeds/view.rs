//! The wire form of embeds.

use embeds::Embed;
use openapi::models;

use crate::areas::publishing::link_blocks::LinkBlock;

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

/// The embed of a page that a block of an integration shows.
pub fn in_block(embed: &Embed, LinkBlock { integration, block }: LinkBlock) -> models::Embed {
    models::Embed::EmbedIntegration(models::EmbedIntegration {
        r#type: Default::default(),
        title: embed.title.clone(),
        site: embed.site.clone(),
        icon: embed.icon.as_ref().map(ToString::to_string),
        integration,
        block,
    })
}
