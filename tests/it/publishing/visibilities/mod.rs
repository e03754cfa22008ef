//! Who reads published sites: every visibility, with everything that a visitor may prove, on every path to content.

mod scene;

use std::{collections::BTreeSet, iter};

use chrono::TimeDelta;

use self::scene::{Scene, switch};
use crate::support::{
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    published::id,
    site_reads::{self, SiteContent, takes_share_keys},
};

on_each_database![
    lookups_let_in_whom_the_visibility_lets_in,
    visitors_read_while_the_visibility_lets_them_in,
    visitors_are_out_when_their_share_link_ends,
    visitors_are_out_when_their_signature_ends,
    keys_in_the_query_let_in_whom_the_visibility_lets_in,
    visitors_without_proof_read_nothing,
    visitors_read_nothing_of_other_sites,
    visitors_call_nothing_else,
];

/// The status of each operation that visitors may call, for a visitor whom the site lets in.
const READS: [(&str, u16); 38] = [
    ("getSpaceById", 200),
    ("getCurrentRevision", 200),
    ("listPages", 200),
    ("listFiles", 200),
    ("getFileById", 200),
    ("getPageById", 200),
    ("getPageByPath", 200),
    ("getReusableContentById", 200),
    ("getDocumentById", 200),
    ("getComputedDocument", 200),
    ("getComputedRevision", 200),
    ("getRevisionById", 200),
    ("listPagesInRevisionById", 200),
    ("listFilesInRevisionById", 200),
    ("getFileInRevisionById", 200),
    ("getPageInRevisionById", 200),
    ("getPageDocumentInRevisionById", 200),
    ("getPageInRevisionByPath", 200),
    ("getReusableContentInRevisionById", 200),
    ("getReusableContentDocumentInRevisionById", 200),
    ("listSpacePageMetaLinks", 200),
    ("listRevisionPageMetaLinks", 200),
    ("getSpacePDF", 200),
    ("getEmbedByUrlInSpace", 200),
    ("getLatestOpenAPISpecVersionContent", 200),
    ("getSiteStructure", 200),
    ("getPublishedContentSite", 200),
    ("listSiteSpaces", 200),
    ("listSiteSections", 200),
    ("searchSiteContent", 200),
    ("prewarmSiteSearch", 204),
    ("getSiteRedirectBySource", 200),
    ("listSiteMcpServers", 200),
    ("getSiteMcpServerById", 200),
    ("renderIntegrationUIWithGet", 200),
    ("renderIntegrationUIWithPost", 200),
    // Texts mention members.
    ("getUserById", 200),
    // Only previews show change requests.
    ("getChangeRequestById", 404),
];

const VISIBILITIES: [&str; 4] = ["public", "unlisted", "share-link", "visitor-auth"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// No key, or one that is not the key of a share link of the site which is on.
    No,
    On,
    /// The link was on when the visitor came.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signed {
    /// No token, or one that was not signed with the key of the site, or has expired.
    No,
    Yes,
    /// The key was that of the site when the visitor came.
    Ended,
}

type Proof = (Link, Signed);

/// Whether a site of each visibility lets in who has proven this.
const LETS_IN: [(Proof, [bool; 4]); 8] = [
    ((Link::No, Signed::No), [true, true, false, false]),
    ((Link::On, Signed::No), [true, true, true, false]),
    ((Link::Ended, Signed::No), [true, true, false, false]),
    ((Link::No, Signed::Yes), [true, true, false, true]),
    ((Link::On, Signed::Yes), [true, true, true, true]),
    ((Link::Ended, Signed::Yes), [true, true, false, true]),
    // Claims end with the key that signed them, wherever they were used.
    ((Link::No, Signed::Ended), [false, false, false, false]),
    ((Link::On, Signed::Ended), [false, false, false, false]),
];

fn lets_in(visibility: &str, proof: Proof) -> bool {
    let column = VISIBILITIES.iter().position(|it| *it == visibility).unwrap();
    LETS_IN.iter().find(|(of, _)| *of == proof).unwrap().1[column]
}

fn reads() -> impl Iterator<Item = (Operation, u16)> {
    READS.iter().map(|(id, status)| (contract::operation(id), *status))
}

#[test]
fn the_reads_are_all_that_visitors_may_call() {
    let declared: BTreeSet<&str> = site_reads::operations().map(|operation| operation.id).collect();
    let known: BTreeSet<&str> = READS.iter().map(|(id, _)| *id).collect();
    assert_eq!(known, declared);
}

async fn lookups_let_in_whom_the_visibility_lets_in(database: TestDatabase) {
    let scene = Scene::new(database).await;
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        for (key_name, key, link) in &scene.keys {
            for (token_name, token, signed) in &scene.tokens {
                let answer = scene.look_up(key.as_deref(), token.as_deref()).await;
                let expected = if lets_in(visibility, (*link, *signed)) {
                    200
                } else {
                    404
                };
                let what = format!("{visibility}, {key_name}, {token_name}");
                assert_eq!(answer.status, expected, "{what}: {}", answer.text);
            }
        }
    }
    let unpublish = scene.world.on_site(&scene.world.admin, "unpublishSite", scene.site());
    unpublish.expect(200).await;
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        for (_, key, _) in &scene.keys {
            for (_, token, _) in &scene.tokens {
                scene.look_up(key.as_deref(), token.as_deref()).await.expect(404);
            }
        }
    }
}

async fn visitors_read_while_the_visibility_lets_them_in(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let (world, visitors) = (&scene.world, scene.visitors().await);
    scene.read_at_each_visibility(&visitors, |proof| proof).await;
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        let unpublish = world.on_site(&world.admin, "unpublishSite", scene.site());
        unpublish.expect(200).await;
        for (proof, client) in &visitors {
            let what = format!("{visibility}, {proof:?}, unpublished");
            scene.read(client, false, &what).await;
        }
        let publish = world.on_site(&world.admin, "publishSite", scene.site());
        publish.expect(200).await;
    }
    // Whom the site still lets in asks again after an hour and a half.
    world.clock().advance(TimeDelta::minutes(91));
    scene.set("public").await;
    for (_, client) in &visitors {
        for (operation, _) in reads() {
            scene.check(client, operation, 401, "after an hour").await;
        }
    }
}

async fn visitors_are_out_when_their_share_link_ends(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let (world, visitors) = (&scene.world, scene.visitors().await);
    let ended = |(link, signed): Proof| match link {
        Link::On => (Link::Ended, signed),
        other => (other, signed),
    };
    switch(world, scene.site(), &scene.link, false).await;
    scene.read_at_each_visibility(&visitors, ended).await;
    switch(world, scene.site(), &scene.link, true).await;
    scene.set("share-link").await;
    let (proof, client) = &visitors[1];
    scene.read(client, lets_in("share-link", *proof), "on again").await;
    let delete = world.on_site(&world.admin, "deleteSiteShareLinkById", scene.site());
    delete.path("shareLinkId", id(&scene.link)).expect(204).await;
    scene.read_at_each_visibility(&visitors, ended).await;
}

async fn visitors_are_out_when_their_signature_ends(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let (world, visitors) = (&scene.world, scene.visitors().await);
    let renew = world.on_site(&world.admin, "regenerateSitePublishingAuthById", scene.site());
    renew.expect(200).await;
    let ended = |(link, signed): Proof| match signed {
        Signed::Yes => (link, Signed::Ended),
        other => (link, other),
    };
    scene.read_at_each_visibility(&visitors, ended).await;
    // The former token proves nothing at the next lookup either.
    let (key, token) = (scene.keys[1].1.as_deref(), scene.tokens[1].1.as_deref());
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        let status = if lets_in(visibility, (Link::On, Signed::No)) {
            200
        } else {
            404
        };
        scene.look_up(key, token).await.expect(status);
    }
}

async fn keys_in_the_query_let_in_whom_the_visibility_lets_in(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let (world, visitors) = (&scene.world, scene.visitors().await);
    // Somebody who is a user, and nobody to the organization.
    let stranger = ((Link::No, Signed::No), world.stranger.client.clone());
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        for ((_, signed), client) in visitors.iter().chain(iter::once(&stranger)) {
            for (key_name, key, link) in scene.keys.iter().skip(1) {
                let key = key.as_deref().unwrap();
                // A key that is not valid is 404, whatever else the caller has proven.
                let is_open = *link == Link::On && lets_in(visibility, (Link::On, *signed));
                for (operation, status) in reads().filter(|(operation, _)| takes_share_keys(*operation)) {
                    let expected = if is_open { status } else { 404 };
                    let answer = scene.content.call(client, operation).query("shareKey", key).send();
                    let answer = answer.await;
                    let what = format!("{}, {visibility}, {key_name}, {signed:?}", operation.id);
                    assert_eq!(answer.status, expected, "{what}: {}", answer.text);
                }
            }
        }
        let key = scene.keys[1].1.as_deref().unwrap();
        for (operation, _) in reads() {
            // Where the contract has no such parameter, the key does nothing.
            if !takes_share_keys(operation) {
                let call = scene.content.call(&stranger.1, operation);
                call.query("shareKey", key).expect(404).await;
            }
            let nobody = world.nobody();
            let call = scene.content.call(&nobody, operation).query("shareKey", key);
            call.expect(401).await;
        }
    }
}

async fn visitors_without_proof_read_nothing(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let world = &scene.world;
    for (operation, _) in reads() {
        let answer = scene.content.call(&world.admin.client, operation).send().await;
        assert!(
            matches!(answer.status, 200 | 204),
            "{}, a member: {}",
            operation.id,
            answer.text
        );
    }
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        for (name, token, _) in scene.tokens.iter().skip(1) {
            // What proves to the site who visits it is no token of the service.
            let client = world.nobody().with_token(token.as_deref().unwrap());
            for (operation, _) in reads() {
                scene.check(&client, operation, 401, name).await;
            }
        }
        for (operation, _) in reads() {
            scene.check(&world.nobody(), operation, 401, "nobody").await;
            scene.check(&world.stranger.client, operation, 404, "a stranger").await;
        }
    }
}

async fn visitors_read_nothing_of_other_sites(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let visitors = scene.visitors().await;
    let other = SiteContent::new(&scene.world, "secret").await;
    for visibility in VISIBILITIES {
        scene.set(visibility).await;
        for (proof, client) in &visitors {
            for (operation, status) in reads() {
                // Both sites are of one organization.
                let of_organization = operation.id == "getUserById" && lets_in(visibility, *proof);
                let expected = if of_organization { status } else { 404 };
                let answer = other.call(client, operation).send().await;
                let what = format!("{}, {visibility}, {proof:?}", operation.id);
                assert_eq!(answer.status, expected, "{what}: {}", answer.text);
            }
        }
    }
}

async fn visitors_call_nothing_else(database: TestDatabase) {
    let scene = Scene::new(database).await;
    let world = &scene.world;
    let reads: BTreeSet<&str> = READS.iter().map(|(id, _)| *id).collect();
    for (proof, client) in scene.visitors().await {
        for operation in contract::operations().filter(|operation| !reads.contains(operation.id)) {
            let names = operation.path_parameters().into_iter();
            let call = names.fold(client.operation(operation), |call, name| {
                call.path(name, world.own_at(operation.path, name))
            });
            let answer = match operation.body_example() {
                Some(example) => call.json(example.clone()).send().await,
                None => call.send().await,
            };
            // Anybody sends events to published sites; this one is not.
            let expected = if operation.id == "trackEventsInSiteById" {
                404
            } else {
                401
            };
            assert_eq!(answer.status, expected, "{}, {proof:?}: {}", operation.id, answer.text);
        }
    }
}
