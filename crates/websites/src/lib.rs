//! Pages of other websites as Markdown, and which of them are to be read: `robots.txt`, `sitemap.xml`, links.
//!
//! Everything comes from strangers. The work for a page grows with its length alone, however its elements are nested.

mod attributes;
mod html;
mod links;
mod robots;
mod scope;
mod sitemap;
mod writer;

#[cfg(test)]
mod tests;

pub use self::{
    html::{Target, markdown},
    links::links,
    robots::Robots,
    scope::Scope,
    sitemap::Sitemap,
};
