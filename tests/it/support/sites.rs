//! Sites and their structure.

use entity::ids::SiteRedirectId;
use serde_json::{Value, json};

use super::{
    client::Call,
    contract,
    world::{Person, World},
};

/// Adds something to a site.
pub async fn add(world: &World, site: &Value, operation: &str, body: Value) -> Value {
    let call = world.on_site(&world.admin, operation, site);
    call.json(body).expect(201).await
}

impl World {
    /// One more of everything in the site of the organization.
    pub async fn add_to_site(&self) {
        let site = json!({ "id": self.own("siteId") });
        for (operation, body) in [
            ("addSectionToSite", json!({ "spaceId": self.space })),
            ("addSpaceToSite", json!({ "spaceId": self.space })),
            ("addSectionGroupToSite", json!({ "title": "One more" })),
            (
                "addExternalLinkToSite",
                json!({ "title": "One more", "url": "https://tidewater.example/" }),
            ),
            ("createSiteShareLink", json!({ "name": "One more" })),
            ("createSiteRedirect", self.new_redirect()),
            (
                "createSiteMcpServer",
                json!({ "name": "One more", "url": "https://tidewater.example/mcp", "headers": {} }),
            ),
        ] {
            self.on_site(&self.admin, operation, &site).json(body).expect(201).await;
        }
        let schema = contract::operation("updateSiteAdaptiveSchema");
        let body = schema.body_example().unwrap().clone();
        self.on_site(&self.admin, schema.id, &site).json(body).expect(200).await;
    }

    fn new_redirect(&self) -> Value {
        let number: SiteRedirectId = self.app().kernel.ids.next();
        let destination = json!({ "kind": "external", "url": "https://tidewater.example/" });
        json!({ "source": format!("/former/{number}"), "destination": destination })
    }

    /// Gives people or teams the level `read` on the site of the organization and on the newest one.
    pub async fn share_sites(&self, mut with: Value) {
        with["role"] = json!("read");
        let list = self.admin.client.call("listSites").here(self);
        let newest = list.query("limit", 1).expect(200).await["items"][0].clone();
        for site in [json!({ "id": self.own("siteId") }), newest] {
            let invite = self.on_site(&self.admin, "inviteToSite", &site);
            invite.json(with.clone()).expect(204).await;
        }
    }

    /// A new space at the top level.
    pub async fn new_space(&self, title: &str) -> Value {
        let call = self.admin.client.call("createSpace").here(self);
        call.json(json!({ "title": title })).expect(201).await
    }

    /// A new space at the top level with one page more.
    pub async fn new_space_with_page(&self, title: &str, page: &str, markdown: &str) -> Value {
        let space = self.new_space(title).await;
        let page = json!({ "operation": "insert_page", "title": page, "document": { "markdown": markdown } });
        let call = self
            .admin
            .client
            .call("updateSpaceContent")
            .path("spaceId", space["id"].as_str().unwrap());
        call.json(json!({ "changes": [page] })).expect(200).await;
        space
    }

    /// A new site with these spaces.
    pub async fn new_site(&self, title: &str, spaces: &[&Value]) -> Value {
        let spaces: Vec<&Value> = spaces.iter().map(|space| &space["id"]).collect();
        let call = self.admin.client.call("createSite").here(self);
        call.json(json!({ "title": title, "spaces": spaces })).expect(201).await
    }

    pub fn on_site<'a>(&self, person: &'a Person, operation: &str, site: &Value) -> Call<'a> {
        let call = person.client.call(operation).here(self);
        call.path("siteId", site["id"].as_str().unwrap())
    }

    /// The titles of the structure, those of a group or section followed by what is in it.
    pub async fn outline(&self, site: &Value) -> Value {
        let structure = self.on_site(&self.admin, "getSiteStructure", site).expect(200).await;
        outline(&structure["structure"])
    }
}

fn outline(items: &Value) -> Value {
    let one = |item: &Value| match item["object"].as_str().unwrap() {
        "site-space" | "site-external-link" => item["title"].clone(),
        "site-section" => json!([item["title"], outline(&item["siteSpaces"])]),
        _ => json!([item["title"], outline(&item["children"])]),
    };
    items.as_array().unwrap().iter().map(one).collect()
}
