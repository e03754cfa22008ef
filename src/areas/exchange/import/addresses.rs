//! Addresses of pages in an application, such as `https://app.example.com/s/AbC1/some/page#part`, that lead to spaces here.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use content::pages::{Forest, Pages};
use entity::{
    ids::{NodeId, PageId},
    library::spaces,
};
use percent_encoding::percent_decode_str;
use sea_orm::EntityTrait;

use super::{
    names,
    target::{ImportTarget, find_space},
};

use crate::areas::exchange::Exchange;

/// The spaces by their ids in addresses.
#[derive(Default)]
pub struct SpaceAddresses(HashMap<String, AddressedSpace>);

enum AddressedSpace {
    /// The imported space.
    Imported,
    Other {
        space: NodeId,
        pages: HashMap<String, PageId>,
    },
}

/// The target of an address.
pub enum AddressTarget {
    /// A path in the imported space, with the anchor.
    Imported(String, Option<String>),
    Reference(String),
    /// A known space without such a page.
    NoPage,
}

impl SpaceAddresses {
    pub(super) async fn load(
        exchange: &Exchange,
        target: &ImportTarget,
        links: &[(String, String)],
    ) -> anyhow::Result<Self> {
        let mut all = HashMap::new();
        for (id, space) in links {
            let addressed = match space.as_str() {
                "." => AddressedSpace::Imported,
                space => load(exchange, target, space).await?,
            };
            all.insert(id.clone(), addressed);
        }
        Ok(Self(all))
    }

    /// Resolves an address. `None`: it leads to none of the spaces.
    pub fn resolve(&self, address: &str) -> Option<AddressTarget> {
        let (_, rest) = address.split_once("://")?;
        let (rest, anchor) = match rest.split_once('#') {
            Some((rest, anchor)) => (rest, Some(anchor).filter(|anchor| !anchor.is_empty())),
            None => (rest, None),
        };
        let rest = rest.split('?').next().unwrap_or_default();
        let mut segments = rest.split('/').skip(1).filter(|segment| !segment.is_empty());
        let mut first = segments.next()?;
        if first == "o" {
            segments.next()?;
            first = segments.next()?;
        }
        let space = (first == "s").then(|| segments.next())??;
        let addressed = self.0.get(space)?;
        let path = segments.collect::<Vec<&str>>().join("/");
        let path = names::comparable(&percent_decode_str(&path).decode_utf8_lossy());
        Some(match addressed {
            AddressedSpace::Imported => AddressTarget::Imported(path, anchor.map(str::to_owned)),
            AddressedSpace::Other { space, .. } if path.is_empty() => {
                AddressTarget::Reference(format!("/spaces/{space}"))
            }
            AddressedSpace::Other { space, pages } => match pages.get(&path) {
                Some(page) => {
                    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
                    AddressTarget::Reference(format!("/spaces/{space}/pages/{page}{anchor}"))
                }
                None => AddressTarget::NoPage,
            },
        })
    }
}

async fn load(exchange: &Exchange, target: &ImportTarget, id: &str) -> anyhow::Result<AddressedSpace> {
    let node = find_space(exchange, id).await?;
    ensure!(
        node.organization_id == target.member.organization,
        "the space {id} belongs to another organization"
    );
    let row = spaces::Entity::find_by_id(node.id)
        .one(exchange.kernel.db.read())
        .await?;
    let revision = row.with_context(|| format!("no space has the id {id}"))?.revision_id;
    let revision = exchange
        .contents
        .state
        .revision(&exchange.kernel.db, node.id, revision)
        .await?;
    let snapshot = revision
        .with_context(|| format!("the space {id} has no content"))?
        .snapshot;
    let mut content = exchange.content(node.id);
    let forest = content.run(|objects| Pages::of(objects, snapshot).forest()).await?;
    let mut pages = HashMap::new();
    add_paths(&forest, None, "", &mut pages);
    Ok(AddressedSpace::Other { space: node.id, pages })
}

/// The recursion is bounded by the depth limit of pages.
fn add_paths(forest: &Forest, parent: Option<PageId>, above: &str, paths: &mut HashMap<String, PageId>) {
    for page in forest.below(parent) {
        let path = match above {
            "" => page.slug.clone(),
            above => format!("{above}/{}", page.slug),
        };
        add_paths(forest, Some(page.id), &path, paths);
        paths.insert(path, page.id);
    }
}
