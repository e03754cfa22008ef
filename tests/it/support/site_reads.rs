//! Every operation that visitors of sites may call, on the content of a published site.

use std::collections::HashMap;

use entity::ids::NodeId;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    computed::{add_computed, gripper, source},
    content::reusable_content,
    contract::{self, Operation},
    published::{Published, id},
    scripts,
    texts::{self, insert, upload},
    world::World,
};

/// The path of a redirect of the site.
const MOVED: &str = "/moved";

/// A published site with one space, in which there is something for every operation that visitors may call.
pub struct SiteContent {
    pub published: Published,
    /// What path parameters stand for.
    named: HashMap<&'static str, String>,
}

/// The operations that visitors may call, as the contract says.
pub fn operations() -> impl Iterator<Item = Operation> {
    contract::operations().filter(|operation| operation.access().definition["needs"].to_string().contains("visitor"))
}

/// Returns whether everybody with a token may call the operation with the key of a share link.
pub fn takes_share_keys(operation: Operation) -> bool {
    let parameters = operation.query_parameters();
    parameters.iter().any(|parameter| parameter.name == "shareKey")
}

impl SiteContent {
    /// `slug` names the specification that the pages use.
    pub async fn new(world: &World, slug: &str) -> Self {
        let published = Published::new(world, &["One"]).await;
        let space: NodeId = id(&published.spaces[0]).parse().unwrap();
        world.process_document(slug, &gripper()).await;
        let block = format!("{{% openapi-operation spec=\"{slug}\" path=\"/grip\" method=\"get\" %}}\n");
        let block = format!("{block}{{% endopenapi-operation %}}\n");
        let written = texts::write(world, space, vec![insert("Block", &block), upload("file.txt")]).await;
        add_computed(world, space, "Interface", slug).await;
        let content = reusable_content(world.app(), world.admin.id, space, "Mind the air.").await;
        let admin = &world.admin.client;
        let page = admin.call("getPageByPath").space(space).path("pagePath", "start");
        let page = page.expect(200).await;
        let revision = admin.call("getCurrentRevision").space(space).expect(200).await;
        let request = admin.call("createChangeRequest").space(space);
        let request = request.json(json!({ "subject": "Draft" })).expect(201).await;
        let redirect = world.on_site(&world.admin, "createSiteRedirect", &published.site);
        let destination = json!({ "kind": "external", "url": "https://tidewater.example/" });
        let redirect = redirect.json(json!({ "source": MOVED, "destination": destination }));
        redirect.expect(201).await;
        let server = world.on_site(&world.admin, "createSiteMcpServer", &published.site);
        let server = server.json(json!({ "name": "Orders", "url": "https://tidewater.example/mcp", "headers": {} }));
        let server = server.expect(201).await;
        let integration = format!("integration-{slug}");
        scripts::publish(world, &integration, json!({})).await;
        let install = admin.call("installIntegration").path("integrationName", &integration);
        let installation = install.json(json!({ "organization": world.organization }));
        let installation = id(&installation.expect(201).await).to_owned();
        let install = admin
            .call("installIntegrationOnSpace")
            .path("integrationName", &integration);
        let install = install.path("installationId", installation);
        install.json(json!({ "space": space })).expect(201).await;
        let named = HashMap::from([
            ("integrationName", integration),
            ("organizationId", world.organization.to_string()),
            ("siteId", id(&published.site).to_owned()),
            ("spaceId", space.to_string()),
            ("revisionId", id(&revision).to_owned()),
            ("pageId", id(&page).to_owned()),
            ("pagePath", "start".to_owned()),
            ("documentId", page["documentId"].as_str().unwrap().to_owned()),
            ("fileId", written["file.txt"].clone()),
            ("reusableContentId", content.to_string()),
            ("changeRequestId", id(&request).to_owned()),
            ("specSlug", slug.to_owned()),
            ("siteMcpServerId", id(&server).to_owned()),
            ("userId", world.edit.id.to_string()),
        ]);
        Self { published, named }
    }

    pub fn call<'a>(&self, client: &'a Client, operation: Operation) -> Call<'a> {
        let names = operation.path_parameters().into_iter();
        let call = names.fold(client.operation(operation), |call, name| {
            call.path(name, &self.named[name])
        });
        let call = match operation.id {
            "getSiteRedirectBySource" => call.query("source", MOVED),
            "renderIntegrationUIWithGet" => {
                let request = scripts::request("level", scripts::in_page(&self.named["spaceId"]));
                call.query("request", scripts::compress(&request.to_string()))
            }
            _ => call,
        };
        match self.body(operation.id) {
            Some(body) => call.json(body),
            None => call,
        }
    }

    fn body(&self, operation: &str) -> Option<Value> {
        let mut source = source(&self.named["specSlug"]);
        match operation {
            "renderIntegrationUIWithPost" => Some(scripts::request("level", scripts::in_page(&self.named["spaceId"]))),
            "searchSiteContent" => Some(json!({ "query": "One", "scope": { "mode": "all" } })),
            "getComputedRevision" => Some(json!({ "source": source, "seed": "seed" })),
            "getComputedDocument" => {
                source["props"] = json!({ "doc": "info", "page": "info" });
                Some(json!({ "source": source, "seed": "seed" }))
            }
            _ => None,
        }
    }
}
