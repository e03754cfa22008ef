//! Mails on their way out: sent, tried again, given up, and kept where nobody sends them.

use std::time::Duration;

use chrono::TimeDelta;
use entity::outbox::{Entity, Model};
use platform::outbox::deliver;
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::json;

use super::durability::Server;
use crate::support::{
    database::{TestDatabase, on_each_database},
    smtp::MailServer,
    world::World,
};

on_each_database![
    a_mail_is_sent_once,
    a_mail_that_is_refused_is_tried_again_later,
    a_mail_that_is_always_refused_is_given_up_and_kept,
    several_senders_share_the_mails,
    a_sender_that_dies_loses_no_mail,
    a_password_is_sent_where_there_is_one,
    sent_mails_are_removed_after_a_while,
    the_program_sends_what_waited_for_a_mail_server,
];

/// More than a mail takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn invite(world: &World, names: &[&str]) {
    let emails: Vec<String> = names.iter().map(|name| format!("{name}@tidewater.example")).collect();
    let call = world.admin.client.call("inviteUsersToOrganization").here(world);
    call.json(json!({ "emails": emails })).expect(200).await;
}

async fn outbox(world: &World) -> Vec<Model> {
    let query = Entity::find().order_by_asc(entity::outbox::Column::Id);
    query.all(world.app().db.read()).await.unwrap()
}

/// Sends what is due and answers how much that was.
async fn send(world: &World, server: &MailServer) -> usize {
    deliver(&world.app().db, &world.app().clock, &server.mailer())
        .await
        .unwrap()
}

async fn a_mail_is_sent_once(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    assert_eq!(send(&world, &server).await, 0);
    invite(&world, &["aiko", "mateo"]).await;
    let waiting = outbox(&world).await;
    assert!(waiting.iter().all(|mail| mail.attempts == 0 && mail.sent_at.is_none()));
    assert_eq!(send(&world, &server).await, 2);
    world.service.advance(TimeDelta::days(1));
    assert_eq!(send(&world, &server).await, 0);
    for (mail, received) in waiting.iter().zip(server.received()) {
        let text = &received.mail;
        assert!(
            received
                .commands
                .contains(&"MAIL FROM:<docs@tidewater.example>".to_owned())
        );
        assert!(received.commands.contains(&format!("RCPT TO:<{}>", mail.recipient)));
        let headers = [
            format!("Message-ID: <{}@tidewater.example>\r\n", mail.id),
            "Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n".to_owned(),
            "From: Bindery <docs@tidewater.example>\r\n".to_owned(),
            format!("To: {}\r\n", mail.recipient),
            format!("Subject: {}\r\n", mail.subject),
        ];
        for header in headers {
            assert!(text.contains(&header), "no {header} in {text}");
        }
        // Long lines are folded on their way.
        assert!(text.replace("=\r\n", "").contains(&world.service.base), "{text}");
    }
    let sent = outbox(&world).await;
    assert!(sent.iter().all(|mail| mail.attempts == 1 && mail.sent_at.is_some()));
    assert!(sent.iter().all(|mail| mail.next_attempt_at.is_none()));
}

async fn a_mail_that_is_refused_is_tried_again_later(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    server.refuse(true);
    assert_eq!(send(&world, &server).await, 0);
    let [mail] = outbox(&world).await.try_into().unwrap();
    assert_eq!((mail.attempts, mail.sent_at), (1, None));
    let error = mail.last_error.unwrap();
    assert!(error.contains("451") && error.contains("not now"), "{error}");
    server.refuse(false);
    // Not before its time.
    world.service.advance(TimeDelta::seconds(59));
    assert_eq!(send(&world, &server).await, 0);
    server.refuse(true);
    world.service.advance(TimeDelta::seconds(1));
    assert_eq!(send(&world, &server).await, 0);
    assert_eq!(outbox(&world).await[0].attempts, 2);
    server.refuse(false);
    // Twice as long after the second failure.
    world.service.advance(TimeDelta::seconds(119));
    assert_eq!(send(&world, &server).await, 0);
    world.service.advance(TimeDelta::seconds(1));
    assert_eq!(send(&world, &server).await, 1);
    let [mail] = outbox(&world).await.try_into().unwrap();
    assert_eq!((mail.attempts, mail.last_error), (3, None));
    assert_eq!(server.received().len(), 1);
}

async fn a_mail_that_is_always_refused_is_given_up_and_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    server.refuse(true);
    invite(&world, &["aiko"]).await;
    let mut hours = 0;
    while outbox(&world).await[0].next_attempt_at.is_some() {
        assert!(hours < 72, "it does not end");
        assert_eq!(send(&world, &server).await, 0);
        world.service.advance(TimeDelta::hours(1));
        hours += 1;
    }
    assert!(hours > 24, "after {hours} hours already");
    server.refuse(false);
    world.service.advance(TimeDelta::days(100));
    assert_eq!(send(&world, &server).await, 0);
    platform::outbox::purge(&world.app().db, &world.app().clock)
        .await
        .unwrap();
    let [mail] = outbox(&world).await.try_into().unwrap();
    assert_eq!((mail.attempts, mail.sent_at), (12, None));
    assert!(mail.last_error.is_some());
}

async fn several_senders_share_the_mails(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    let names: Vec<String> = (0..12).map(|number| format!("person-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    invite(&world, &names).await;
    let (one, two, three) = tokio::join!(send(&world, &server), send(&world, &server), send(&world, &server));
    assert_eq!(one + two + three, names.len());
    assert_eq!(server.received().len(), names.len());
    assert!(outbox(&world).await.iter().all(|mail| mail.attempts == 1));
}

async fn a_sender_that_dies_loses_no_mail(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    server.hang(true);
    let (app, mailer) = (world.app().clone(), server.mailer());
    let sender = tokio::spawn(async move { deliver(&app.db, &app.clock, &mailer).await });
    server.connected().await;
    sender.abort();
    assert!(sender.await.unwrap_err().is_cancelled());
    server.hang(false);
    // The others do not know that it is gone.
    assert_eq!(send(&world, &server).await, 0);
    world.service.advance(TimeDelta::minutes(10));
    assert_eq!(send(&world, &server).await, 1);
    assert_eq!(outbox(&world).await[0].attempts, 2);
}

async fn a_password_is_sent_where_there_is_one(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    let mailer = server.mailer_of("docs:p%40ss@");
    assert_eq!(deliver(&world.app().db, &world.app().clock, &mailer).await.unwrap(), 1);
    let [received] = server.received().try_into().unwrap();
    // `\0docs\0p@ss` in base64.
    assert!(received.commands.contains(&"AUTH PLAIN AGRvY3MAcEBzcw==".to_owned()));
}

async fn sent_mails_are_removed_after_a_while(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    assert_eq!(send(&world, &server).await, 1);
    invite(&world, &["mateo"]).await;
    world.service.advance(TimeDelta::days(30));
    platform::outbox::purge(&world.app().db, &world.app().clock)
        .await
        .unwrap();
    assert_eq!(outbox(&world).await.len(), 2);
    world.service.advance(TimeDelta::milliseconds(1));
    platform::outbox::purge(&world.app().db, &world.app().clock)
        .await
        .unwrap();
    let [kept] = outbox(&world).await.try_into().unwrap();
    assert_eq!(kept.recipient, "mateo@tidewater.example");
}

/// Without a mail server mails wait, also for the next start.
async fn the_program_sends_what_waited_for_a_mail_server(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap();
    let call = client
        .call("inviteUsersToOrganization")
        .path("organizationId", organization);
    call.json(json!({ "emails": ["aiko@tidewater.example"] }))
        .expect(200)
        .await;
    server.kill();
    let mails = MailServer::start().await;
    let mut server = Server::spawn_with(home.path(), &database, |command| {
        command
            .env("BINDERY_SMTP_URL", mails.url(""))
            .env("BINDERY_MAIL_FROM", "docs@tidewater.example");
    });
    server.ready().await;
    assert!(tokio::time::timeout(PATIENCE, mails.arrived()).await.is_ok());
    assert_eq!(mails.received().len(), 1);
}
