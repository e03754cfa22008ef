//! Sites: structure, customization, redirects, share links, publishing.

use poem::http::Method;
use serde_json::{Map, Value, json};

use super::{
    copies::{is_usable, key},
    puller::{Puller, Wanted, id, members, set, text},
};

/// The parts of a customization that a site space cannot override.
const OF_SITES: [&str; 7] = [
    "title",
    "insights",
    "ai",
    "advancedCustomization",
    "pageActions",
    "updatedAt",
    "object",
];
/// How deep groups are in groups at most.
const MAX_GROUPS: usize = 8;

/// A site that is copied.
struct Site<'s> {
    there: String,
    here: String,
    name: &'s str,
}

impl Puller<'_> {
    pub async fn sites(&mut self) -> anyhow::Result<()> {
        let path = format!("orgs/{}/sites", self.there);
        let sites = self.list("site", &path).await?;
        self.start("Sites", sites.len());
        for site in &sites {
            let Some(own) = self.site(site).await? else { continue };
            let place = Site {
                there: format!("orgs/{}/sites/{}", self.there, id(site)),
                here: format!("orgs/{}/sites/{own}", self.organization),
                name: text(site, "title"),
            };
            self.structure(&place, site).await?;
            self.schema(&place, site).await?;
            self.customization(&place, site).await?;
            self.redirects(&place).await?;
            self.share_links(&place).await?;
            if site.get("published").and_then(Value::as_bool) == Some(true) {
                let call = (Method::POST, format!("{}/publish", place.here), Value::Null);
                self.put(self.call("publication", id(site), place.name, call)).await?;
            }
        }
        Ok(())
    }

    /// An object that one call makes and brings up to date.
    pub fn call<'w>(
        &self,
        kind: &'static str,
        id: &'w str,
        name: &'w str,
        call: (Method, String, Value),
    ) -> Wanted<'w> {
        Wanted {
            kind,
            id,
            name,
            create: call.clone(),
            update: Some(call),
            completes: false,
            user: self.admin,
        }
    }

    async fn site(&mut self, site: &Value) -> anyhow::Result<Option<String>> {
        let all = format!("orgs/{}/sites", self.organization);
        let wanted = Wanted {
            kind: "site",
            id: id(site),
            name: text(site, "title"),
            create: (
                Method::POST,
                all.clone(),
                members(site, &["type", "title", "visibility"]),
            ),
            update: Some((
                Method::PATCH,
                format!("{all}/{{id}}"),
                members(
                    site,
                    &["title", "visibility", "adaptiveContent", "agentsContext", "styleguide"],
                ),
            )),
            completes: true,
            user: self.admin,
        };
        self.put(wanted).await
    }

    async fn structure(&mut self, place: &Site<'_>, site: &Value) -> anyhow::Result<()> {
        let structure = match self.source.get(&format!("{}/structure", place.there)).await? {
            Ok(structure) => structure,
            Err(refused) => {
                self.report
                    .unread
                    .extend(["site section", "site section group", "site space"]);
                self.report.not_copied("structure", place.name, refused);
                return Ok(());
            }
        };
        let mut default = None;
        let mut waiting = vec![(structure.get("structure"), None::<String>, 0)];
        while let Some((items, group, depth)) = waiting.pop() {
            for item in items.and_then(Value::as_array).into_iter().flatten() {
                if !is_usable(id(item)) {
                    continue;
                }
                let (member, own) = match text(item, "object") {
                    "site-section-group" if depth < MAX_GROUPS => {
                        let own = self.group(place, item, group.as_deref()).await?;
                        let below = item.get("children").or_else(|| item.get("sections"));
                        waiting.extend(own.map(|own| (below, Some(own), depth + 1)));
                        continue;
                    }
                    "site-space" => ("defaultSiteSpace", self.site_space(place, item, None).await?),
                    "site-section" => ("defaultSiteSection", self.section(place, item, group.as_deref()).await?),
                    other => {
                        self.report.not_copied(
                            "site structure",
                            text(item, "title"),
                            format!("`{other}` is not known"),
                        );
                        continue;
                    }
                };
                if let Some(own) = own.filter(|_| is_default(item)) {
                    default = Some((member, own));
                }
            }
        }
        if let Some((member, own)) = default {
            let call = (Method::PATCH, place.here.clone(), json!({ member: own }));
            self.put(self.call("default of site", id(site), place.name, call))
                .await?;
        }
        Ok(())
    }

    async fn group(&mut self, place: &Site<'_>, group: &Value, parent: Option<&str>) -> anyhow::Result<Option<String>> {
        let all = format!("{}/section-groups", place.here);
        let mut create = members(group, &["title", "icon"]);
        let update = create.clone();
        if let Some(parent) = parent {
            set(&mut create, "parent", parent);
        }
        let wanted = Wanted {
            kind: "site section group",
            id: id(group),
            name: text(group, "title"),
            create: (Method::POST, all.clone(), create),
            update: Some((Method::PATCH, format!("{all}/{{id}}"), update)),
            completes: false,
            user: self.admin,
        };
        self.put(wanted).await
    }

    async fn section(
        &mut self,
        place: &Site<'_>,
        section: &Value,
        group: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let all = format!("{}/sections", place.here);
        let spaces: Vec<&Value> = section
            .get("siteSpaces")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .collect();
        let first = spaces.iter().find_map(|it| Some((*it, self.own_space(it)?)));
        let Some((first, space)) = first else {
            self.report
                .not_copied("site section", text(section, "title"), "none of its spaces was copied");
            return Ok(None);
        };
        let mut create = members(section, &["title", "icon"]);
        set(&mut create, "spaceId", space);
        if let Some(group) = group {
            set(&mut create, "siteSectionGroupId", group);
        }
        let wanted = Wanted {
            kind: "site section",
            id: id(section),
            name: text(section, "title"),
            create: (Method::POST, all.clone(), create),
            update: Some((
                Method::PATCH,
                format!("{all}/{{id}}"),
                members(
                    section,
                    &[
                        "title",
                        "path",
                        "icon",
                        "description",
                        "condition",
                        "localizedTitle",
                        "draft",
                    ],
                ),
            )),
            completes: true,
            user: self.admin,
        };
        let Some(own) = self.put(wanted).await? else {
            return Ok(None);
        };
        self.first_space(place, &own, first).await?;
        let mut default = None;
        for site_space in spaces {
            let made = self.site_space(place, site_space, Some(&own)).await?;
            default = is_default(site_space).then_some(made).flatten().or(default);
        }
        if let Some(default) = default {
            let call = (
                Method::PATCH,
                format!("{all}/{own}"),
                json!({ "defaultSiteSpace": default }),
            );
            self.put(self.call("default of section", id(section), text(section, "title"), call))
                .await?;
        }
        Ok(Some(own))
    }

    /// A new section comes with its first site space.
    async fn first_space(&mut self, place: &Site<'_>, section: &str, first: &Value) -> anyhow::Result<()> {
        let name = key("site space", id(first));
        if self.dry_run || self.copies.find(&name).is_some() {
            return Ok(());
        }
        let caller = self.caller(self.admin).await?;
        let all = caller.get(&format!("{}/site-spaces?limit=1000", place.here)).await?;
        let mut all = all.get("items").and_then(Value::as_array).into_iter().flatten();
        if let Some(made) = all.find(|it| text(it, "section") == section) {
            self.copies.put(name, id(made).to_owned(), String::new()).await?;
        }
        Ok(())
    }

    fn own_space(&self, site_space: &Value) -> Option<String> {
        let space = site_space.get("space").map(id)?;
        self.copies.own("space", space).map(str::to_owned)
    }

    async fn site_space(
        &mut self,
        place: &Site<'_>,
        site_space: &Value,
        section: Option<&str>,
    ) -> anyhow::Result<Option<String>> {
        let Some(space) = self.own_space(site_space) else {
            self.report
                .not_copied("site space", text(site_space, "title"), "its space was not copied");
            return Ok(None);
        };
        self.spaces_of_sites.insert(id(site_space).to_owned(), space.clone());
        let all = format!("{}/site-spaces", place.here);
        let mut create = json!({ "spaceId": space });
        if let Some(section) = section {
            set(&mut create, "sectionId", section);
        }
        let mut update = members(site_space, &["path", "condition", "hidden", "draft"]);
        set(&mut update, "spaceId", space);
        let wanted = Wanted {
            kind: "site space",
            id: id(site_space),
            name: text(site_space, "title"),
            create: (Method::POST, all.clone(), create),
            update: Some((Method::PATCH, format!("{all}/{{id}}"), update)),
            completes: true,
            user: self.admin,
        };
        self.put(wanted).await
    }

    /// The claims of visitors that conditions may name.
    async fn schema(&mut self, place: &Site<'_>, site: &Value) -> anyhow::Result<()> {
        let path = "adaptive-schema";
        if let Ok(schema) = self.source.get(&format!("{}/{path}", place.there)).await? {
            let call = (
                Method::PUT,
                format!("{}/{path}", place.here),
                members(&schema, &["jsonSchema"]),
            );
            self.put(self.call("adaptive schema", id(site), place.name, call))
                .await?;
        }
        Ok(())
    }

    async fn customization(&mut self, place: &Site<'_>, site: &Value) -> anyhow::Result<()> {
        let path = "customization";
        let mut settings = match self.source.get(&format!("{}/{path}", place.there)).await? {
            Ok(settings) => settings,
            Err(refused) => {
                self.report.not_copied("customization", place.name, refused);
                return Ok(());
            }
        };
        self.settings(place, &mut settings);
        let call = (Method::PUT, format!("{}/{path}", place.here), settings.clone());
        self.put(self.call("customization", id(site), place.name, call)).await?;
        let spaces = self.list("site space", &format!("{}/site-spaces", place.there)).await?;
        for site_space in &spaces {
            let Some(own) = self.copies.own("site space", id(site_space)).map(str::to_owned) else {
                continue;
            };
            let path = format!("site-spaces/{}/{path}", id(site_space));
            let Ok(mut of_space) = self.source.get(&format!("{}/{path}", place.there)).await? else {
                continue;
            };
            self.settings(place, &mut of_space);
            let differs = difference(&settings, &of_space);
            let is_known = self.copies.own("customization of space", id(site_space)).is_some();
            if differs.as_object().is_some_and(|it| !it.is_empty()) || is_known {
                let call = (
                    Method::PATCH,
                    format!("{}/site-spaces/{own}/customization", place.here),
                    differs,
                );
                self.put(self.call(
                    "customization of space",
                    id(site_space),
                    text(site_space, "title"),
                    call,
                ))
                .await?;
            }
        }
        Ok(())
    }

    /// Prepares settings of the source for a write here.
    fn settings(&mut self, place: &Site<'_>, settings: &mut Value) {
        let lost = self.references().rewrite(settings);
        if lost > 0 {
            let line = format!(
                "customization {}: {lost} links lead to something that was not copied",
                place.name
            );
            self.report.note(line);
        }
        if let Some(settings) = settings.as_object_mut() {
            for name in ["object", "updatedAt"] {
                settings.remove(name);
            }
        }
    }

    async fn redirects(&mut self, place: &Site<'_>) -> anyhow::Result<()> {
        let all = format!("{}/redirects", place.here);
        for redirect in self.list("redirect", &format!("{}/redirects", place.there)).await? {
            let source = text(&redirect, "source");
            let mut body = members(&redirect, &["source", "captureWildcard", "draft", "permanent"]);
            let Some(destination) = self.destination(redirect.get("destination").unwrap_or(&Value::Null)) else {
                self.report
                    .not_copied("redirect", source, "its destination was not copied");
                continue;
            };
            set(&mut body, "destination", destination);
            let wanted = Wanted {
                kind: "redirect",
                id: id(&redirect),
                name: source,
                create: (Method::POST, all.clone(), body.clone()),
                update: Some((Method::PATCH, format!("{all}/{{id}}"), body)),
                completes: false,
                user: self.admin,
            };
            self.put(wanted).await?;
        }
        Ok(())
    }

    /// The destination of a redirect with the ids of the copies.
    fn destination(&self, destination: &Value) -> Option<Value> {
        let mut made = destination.clone();
        if let Some(section) = destination.get("siteSectionId").and_then(Value::as_str) {
            set(&mut made, "siteSectionId", self.copies.own("site section", section)?);
        }
        if let Some(site_space) = destination.get("siteSpaceId").and_then(Value::as_str) {
            set(&mut made, "siteSpaceId", self.copies.own("site space", site_space)?);
            if let Some(page) = destination.get("pageId").and_then(Value::as_str) {
                let space = self.spaces_of_sites.get(site_space)?.parse().ok()?;
                set(&mut made, "pageId", super::refs::own_text(space, "page", page));
            }
        }
        Some(made)
    }

    async fn share_links(&mut self, place: &Site<'_>) -> anyhow::Result<()> {
        let all = format!("{}/share-links", place.here);
        let links = self.list("share link", &format!("{}/share-links", place.there)).await?;
        let before = self.report.new_ones("share link");
        for link in &links {
            let wanted = Wanted {
                kind: "share link",
                id: id(link),
                name: text(link, "name"),
                create: (Method::POST, all.clone(), json!({ "name": text(link, "name") })),
                update: Some((
                    Method::PATCH,
                    format!("{all}/{{id}}"),
                    members(link, &["active", "name"]),
                )),
                completes: true,
                user: self.admin,
            };
            self.put(wanted).await?;
        }
        let new = self.report.new_ones("share link") - before;
        if new > 0 {
            self.report.note(format!(
                "site {}: {new} new share links have addresses of their own",
                place.name
            ));
        }
        Ok(())
    }
}

fn is_default(item: &Value) -> bool {
    item.get("default").and_then(Value::as_bool) == Some(true)
}

/// The settings of a site space that are not those of its site.
fn difference(site: &Value, of_space: &Value) -> Value {
    let (Some(site), Some(of_space)) = (site.as_object(), of_space.as_object()) else {
        return json!({});
    };
    let mut found = Map::new();
    for (name, value) in of_space.iter().filter(|(name, _)| !OF_SITES.contains(&name.as_str())) {
        let same = site.get(name);
        if same == Some(value) {
            continue;
        }
        let part = match (same, value) {
            // A part of one member is sent whole.
            (Some(Value::Object(before)), Value::Object(after)) if after.len() > 1 => {
                let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
                Value::Object(changed.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            _ => value.clone(),
        };
        found.insert(name.clone(), part);
    }
    Value::Object(found)
}
