//! Profiles: who sees whose, and what one may put into one's own.

use serde_json::{Value, json};

use crate::support::{
    client::Call,
    database::{TestDatabase, on_each_database},
    paths::{sorted, texts},
    world::{Person, World},
};

on_each_database![
    callers_read_their_own_profile,
    people_who_share_an_organization_see_each_other,
    a_former_member_sees_nobody,
    profiles_change_member_by_member,
    only_the_user_changes_a_profile,
    names_are_kept_as_written,
    a_new_name_is_found_and_the_old_one_is_not,
    pictures_are_addresses_of_the_web,
    an_address_belongs_to_one_user,
];

fn patch(person: &Person) -> Call<'_> {
    person.client.call("updateUserById").path("userId", person.id)
}

async fn seen_by(viewer: &Person, other: &Person) -> u16 {
    viewer
        .client
        .call("getUserById")
        .path("userId", other.id)
        .send()
        .await
        .status
}

async fn callers_read_their_own_profile(database: TestDatabase) {
    let world = World::new(database).await;
    let user = world.stranger.client.call("getAuthenticatedUser").expect(200).await;
    let id = world.stranger.id.to_string();
    let location = format!("{}/v1/users/{id}", world.service.base);
    let expected = json!({
        "object": "user", "id": id, "displayName": "stranger", "email": "stranger@nowhere.example",
        "urls": { "location": location },
    });
    assert_eq!(user, expected);
    let same = world
        .stranger
        .client
        .call("getUserById")
        .path("userId", &id)
        .expect(200)
        .await;
    assert_eq!(same, user);
    let linked = world.stranger.client.get(&format!("/v1/users/{id}")).await;
    assert_eq!(linked.json::<Value>().await.unwrap(), user);
}

async fn people_who_share_an_organization_see_each_other(database: TestDatabase) {
    let world = World::new(database).await;
    assert_eq!(seen_by(&world.edit, &world.admin).await, 200);
    assert_eq!(seen_by(&world.guest, &world.admin).await, 200);
    assert_eq!(seen_by(&world.admin, &world.guest).await, 200);
    for (one, other) in [(&world.admin, &world.stranger), (&world.admin, &world.other_admin)] {
        assert_eq!(seen_by(one, other).await, 404);
        assert_eq!(seen_by(other, one).await, 404);
    }
    // An absent user answers like an invisible one.
    let absent = world
        .admin
        .client
        .call("getUserById")
        .path("userId", "06dk3e28iq97jb6cn643dvrktt")
        .send()
        .await;
    let hidden = world
        .admin
        .client
        .call("getUserById")
        .path("userId", world.stranger.id)
        .send()
        .await;
    assert_eq!(
        absent.expect(404)["error"]["message"],
        hidden.expect(404)["error"]["message"]
    );
}

async fn a_former_member_sees_nobody(database: TestDatabase) {
    let world = World::new(database).await;
    assert_eq!(seen_by(&world.edit, &world.admin).await, 200);
    let leave = world.edit.client.call("removeMemberFromOrganizationById").here(&world);
    leave.path("userId", world.edit.id).expect(204).await;
    assert_eq!(seen_by(&world.edit, &world.admin).await, 404);
    assert_eq!(seen_by(&world.admin, &world.edit).await, 404);
    assert_eq!(seen_by(&world.edit, &world.edit).await, 200);
    bindery::areas::organizations::members::set_disabled(&world.app().kernel, world.organization, world.read.id, true)
        .await
        .unwrap();
    assert_eq!(seen_by(&world.read, &world.admin).await, 404);
    // Disabled members are still listed, and so may be looked at.
    assert_eq!(seen_by(&world.admin, &world.read).await, 200);
}

async fn profiles_change_member_by_member(database: TestDatabase) {
    let world = World::new(database).await;
    let before = world.edit.client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(patch(&world.edit).json(json!({})).expect(200).await, before);

    let renamed = patch(&world.edit)
        .json(json!({ "displayName": "Mateo Lindqvist" }))
        .expect(200)
        .await;
    let mut expected = before.clone();
    expected["displayName"] = json!("Mateo Lindqvist");
    assert_eq!(renamed, expected);

    let picture = "https://images.tidewater.example/people/mateo.png?size=64#face";
    let pictured = patch(&world.edit)
        .json(json!({ "photoURL": picture }))
        .expect(200)
        .await;
    assert_eq!(
        (&pictured["displayName"], &pictured["photoURL"]),
        (&json!("Mateo Lindqvist"), &json!(picture))
    );

    let both = json!({ "displayName": "M", "photoURL": "https://tidewater.example/m.png" });
    let both = patch(&world.edit).json(both).expect(200).await;
    assert_eq!(world.edit.client.call("getAuthenticatedUser").expect(200).await, both);
    let seen = world
        .admin
        .client
        .call("getUserById")
        .path("userId", world.edit.id)
        .expect(200)
        .await;
    assert_eq!(seen, both);

    // What is not a member of the body cannot be smuggled in, and nothing of such a body counts.
    for member in ["email", "id", "emailVerified", "suspendedAt", "__proto__"] {
        let answer = patch(&world.edit)
            .json(json!({ "displayName": "X", member: "x" }))
            .send()
            .await;
        answer.has_detail(&format!("/body/{member}"), "unknown-member");
    }
    assert_eq!(world.edit.client.call("getAuthenticatedUser").expect(200).await, both);
}

async fn only_the_user_changes_a_profile(database: TestDatabase) {
    let world = World::new(database).await;
    for (person, status) in [(&world.admin, 403), (&world.guest, 403), (&world.stranger, 404)] {
        let call = person.client.call("updateUserById").path("userId", world.edit.id);
        call.json(json!({ "displayName": "Somebody else" }))
            .expect(status)
            .await;
    }
    let user = world.edit.client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(user["displayName"], "edit");
}

async fn names_are_kept_as_written(database: TestDatabase) {
    let world = World::new(database).await;
    let longest = "\u{1F600}".repeat(64);
    let names = [
        "Ärger",
        "李小龍",
        "e\u{301}",
        "<script>alert(1)</script>",
        "O'Brien\"; DROP TABLE users;--",
        "\\%_",
        "x",
        &longest,
        " spaces around ",
    ];
    for name in names {
        let answer = patch(&world.edit)
            .json(json!({ "displayName": name }))
            .expect(200)
            .await;
        assert_eq!(answer["displayName"], name);
        let user = world.edit.client.call("getAuthenticatedUser").expect(200).await;
        assert_eq!(user["displayName"], name);
    }
    for (misleading, message) in [
        ("\u{202E}drawkcab", "May not contain the character U+202E."),
        ("line\nbreak", "May not contain the character U+000A."),
        ("zero\u{200B}width", "May not contain the character U+200B."),
        ("bell\u{7}", "May not contain the character U+0007."),
        (" \u{A0}\u{2800}", "Has to have a visible character."),
    ] {
        let call = patch(&world.edit).json(json!({ "displayName": misleading }));
        let answer = call.send().await;
        answer.has_detail("/body/displayName", "pattern");
        assert_eq!(
            answer.expect(400)["error"]["details"][0]["message"],
            message,
            "{misleading:?}"
        );
    }
    let longer = json!({ "displayName": "\u{1F600}".repeat(65) });
    patch(&world.edit)
        .json(longer)
        .send()
        .await
        .has_detail("/body/displayName", "max-length");
}

async fn a_new_name_is_found_and_the_old_one_is_not(database: TestDatabase) {
    let world = World::new(database).await;
    patch(&world.edit)
        .json(json!({ "displayName": "Zoë Ångström" }))
        .expect(200)
        .await;
    let find = async |search: &str| {
        let call = world.admin.client.call("listMembersInOrganizationById").here(&world);
        sorted(&call.query("search", search).expect(200).await, "/user/displayName")
    };
    assert_eq!(find("ångström").await, ["Zoë Ångström"]);
    assert_eq!(find("EDIT@").await, ["Zoë Ångström"]);
    patch(&world.edit)
        .json(json!({ "displayName": "Plain" }))
        .expect(200)
        .await;
    assert_eq!(find("ångström").await, Vec::<String>::new());
    let of_team = world
        .admin
        .client
        .call("listTeamMembersInOrganizationById")
        .in_team(&world)
        .expect(200)
        .await;
    assert!(!texts(&of_team, "/organization/user/displayName").contains(&"Plain".to_owned()));
}

async fn pictures_are_addresses_of_the_web(database: TestDatabase) {
    let world = World::new(database).await;
    let send = async |url: &str| patch(&world.edit).json(json!({ "photoURL": url })).send().await;
    let hostile = [
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "vbscript:x",
        "file:///etc/passwd",
    ];
    for url in hostile {
        assert_eq!(send(url).await.status, 400, "{url} was accepted");
    }
    for broken in [
        "",
        "/people/ines.png",
        "images/ines.png",
        "https://a b/",
        "https://[::1",
        "no address",
    ] {
        send(broken).await.has_detail("/body/photoURL", "format");
    }
    let base = "https://tidewater.example/";
    let longest = format!("{base}{}", "x".repeat(2048 - base.len()));
    assert_eq!(send(&longest).await.expect(200)["photoURL"], *longest);
    send(&format!("{longest}x"))
        .await
        .has_detail("/body/photoURL", "max-length");
    let user = world.edit.client.call("getAuthenticatedUser").expect(200).await;
    assert_eq!(user["photoURL"], *longest);
}

async fn an_address_belongs_to_one_user(database: TestDatabase) {
    let world = World::new(database).await;
    let again =
        bindery::areas::identity::users::create(&world.app().identity, "EDIT@Tidewater.Example", "Impostor").await;
    assert_eq!(again.unwrap_err().kind(), openapi::error::ErrorType::EmailTaken);
    let found = bindery::areas::identity::users::find_by_email(&world.app().kernel, "Edit@TIDEWATER.example")
        .await
        .unwrap();
    assert_eq!(found.unwrap().id, world.edit.id);
}
