//! Visitors where two nodes serve one PostgreSQL database: what one node ends is over at the other.

mod only_postgres {
    use platform::db::Backend;
    use serde_json::{Value, json};

    use crate::support::{
        client::Client,
        database::TestDatabase,
        published::{Published, find, id, read, resolve},
        service::Service,
        world::World,
    };

    /// A published site that both nodes serve.
    async fn nodes() -> (World, Service, Published) {
        let world = World::new(TestDatabase::new(Backend::Postgres)).await;
        let second = world.service.second_node().await;
        let published = Published::new(&world, &["One"]).await;
        (world, second, published)
    }

    /// A visitor who reads at the other node.
    async fn reader(second: &Service, found: &Value) -> Client {
        let token = found["apiToken"].as_str().unwrap();
        let client = Client::new(&second.base).with_token(token).named("visitor");
        read(&client, found).expect(200).await;
        client
    }

    /// The other node refuses at once.
    async fn is_refused(client: &Client, found: &Value) {
        read(client, found).expect(404).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_site_that_one_node_unpublishes_is_closed_at_the_other() {
        let (world, second, published) = nodes().await;
        let found = find(&world, &published.address).await;
        let client = reader(&second, &found).await;
        let end = world.on_site(&world.admin, "unpublishSite", &published.site);
        end.expect(200).await;
        is_refused(&client, &found).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_visibility_that_one_node_changes_counts_at_the_other() {
        for visibility in ["share-link", "visitor-auth"] {
            let (world, second, published) = nodes().await;
            let found = find(&world, &published.address).await;
            let client = reader(&second, &found).await;
            published.set(&world, json!({ "visibility": visibility })).await;
            is_refused(&client, &found).await;
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_share_link_that_one_node_switches_off_is_off_at_the_other() {
        let (world, second, published) = nodes().await;
        published.set(&world, json!({ "visibility": "share-link" })).await;
        let create = world.on_site(&world.admin, "createSiteShareLink", &published.site);
        let link = create.json(json!({ "name": "Partners" })).expect(201).await;
        let found = find(&world, link["urls"]["published"].as_str().unwrap()).await;
        let client = reader(&second, &found).await;
        let update = world.on_site(&world.admin, "updateSiteShareLinkById", &published.site);
        let update = update.path("shareLinkId", id(&link));
        update.json(json!({ "active": false })).expect(200).await;
        is_refused(&client, &found).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_key_that_one_node_replaces_ends_what_the_other_reads_with_it() {
        for visibility in ["visitor-auth", "public"] {
            let (world, second, published) = nodes().await;
            let change = json!({ "visibility": visibility, "adaptiveContent": { "enabled": true } });
            published.set(&world, change).await;
            let token = published.token(&world, json!({ "name": "Ines" })).await;
            let found = resolve(&world, &published.address, json!({ "jwtToken": token }));
            let found = found.expect(200).await;
            let client = reader(&second, &found).await;
            let renew = world.on_site(&world.admin, "regenerateSitePublishingAuthById", &published.site);
            renew.expect(200).await;
            is_refused(&client, &found).await;
        }
    }
}
