//! The titles of pages that a page embeds, as far as they are known: no reader waits for another server.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock},
};

use openapi::models::Document;
use tokio::sync::Semaphore;
use tracing::Instrument;

use super::site::Site;

use crate::{app::App, areas::publishing::embeds};

/// Embeds of one page that are looked up.
const MAX_EMBEDS: usize = 20;

/// Pages that are read at once for pages of sites. Others stay unknown until a later view.
static READS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(16)));

/// The titles of embedded pages and the names of their sites, by the addresses in the text. Unknown ones are read for the next view.
pub async fn titles(app: &App, site: &Site, page: &Document) -> HashMap<String, (String, String)> {
    let addresses: BTreeSet<String> = rich_text::embedded(&page.nodes).into_iter().collect();
    let mut known = HashMap::new();
    for address in addresses.into_iter().take(MAX_EMBEDS) {
        match embeds::known(&app.publishing, &address).await {
            Some(embed) => drop(known.insert(address, (embed.title.clone(), embed.site.clone()))),
            // No file waits for another server, and files of the same content are the same.
            None if site.is_static => {}
            None => read(app, site, address),
        }
    }
    known
}

fn read(app: &App, site: &Site, address: String) {
    let Ok(permit) = Arc::clone(&READS).try_acquire_owned() else {
        return;
    };
    let (app, organization) = (app.clone(), site.visit.site.organization_id);
    let read = async move {
        if let Err(error) = embeds::ask(&app.publishing, organization, &address).await {
            tracing::debug!(%error, "an embedded page was not read");
        }
        drop(permit);
    };
    tokio::spawn(read.in_current_span());
}
