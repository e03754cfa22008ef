//! Icons of Font Awesome Free, by their names.

use std::collections::BTreeSet;

use font_awesome_as_a_crate::{Type, svg};
use maud::Render;

use crate::Html;

/// The markup before the name of an icon that is used. Escaped text cannot contain it.
const USE: &str = "<use href=\"#~icon-";

/// The attribution that the license asks for.
const NOTICE: &str = "<!-- Icons: Font Awesome Free 6.2.0 by @fontawesome, https://fontawesome.com, CC BY 4.0, \
    https://fontawesome.com/license/free, copyright 2022 Fonticons, Inc. -->";

/// An icon that the free set has. It repeats what the words beside it say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Icon(String);

impl Icon {
    /// `None`: the set has no icon with this name.
    pub fn named(name: &str) -> Option<Self> {
        drawing(name).map(|_| Self(name.to_owned()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    pub(crate) fn push(&self, html: &mut Html, class: &str) {
        let start = html.open("svg").attribute("class", class);
        drop(start.attribute("aria-hidden", "true"));
        drop(html.open("use").attribute("href", &format!("#~icon-{}", self.0)));
        html.markup("</use></svg>");
    }
}

impl Render for Icon {
    fn render_to(&self, buffer: &mut String) {
        let mut html = Html::default();
        self.push(&mut html, "icon");
        html.render_to(buffer);
    }
}

/// The drawings of the icons that a page uses, each once.
pub fn sprite(page: &str) -> Html {
    let names = page.split(USE).skip(1).filter_map(|rest| rest.split('"').next());
    let names: BTreeSet<&str> = names.collect();
    let mut html = Html::default();
    if names.is_empty() {
        return html;
    }
    html.markup(NOTICE);
    html.markup("<svg class=\"icons\" aria-hidden=\"true\">");
    for name in names {
        if let Some((view_box, path)) = drawing(name) {
            let start = html.open("symbol").attribute("id", &format!("~icon-{name}"));
            drop(start.attribute("viewBox", view_box));
            html.markup(path);
            html.markup("</symbol>");
        }
    }
    html.markup("</svg>");
    html
}

/// The view box and the path of an icon. All outlined icons are there filled as well.
fn drawing(name: &str) -> Option<(&'static str, &'static str)> {
    let svg = svg(Type::Solid, name).or_else(|_| svg(Type::Brands, name)).ok()?;
    let (_, rest) = svg.split_once("viewBox=\"")?;
    let (view_box, rest) = rest.split_once('"')?;
    let (_, rest) = rest.split_once("-->")?;
    let (path, _) = rest.split_once("</svg>")?;
    Some((view_box, path))
}
