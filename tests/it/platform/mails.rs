//! Mails: sent once, tried again, given up, and kept where there is no mail server.

use std::time::Duration;

use chrono::TimeDelta;
use entity::platform::jobs::JobState;
use platform::{
    jobs::{Kinds, Runner},
    mail::{Mailer, SendMail},
};
use serde_json::{Value, json};

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    jobs::end_leases,
    mails::{mail_jobs, mail_of},
    process::Server,
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
    the_program_sends_mails_that_waited_for_a_mail_server,
    a_killed_program_loses_no_mail,
];

/// More than a mail takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn invite(world: &World, names: &[&str]) {
    let emails: Vec<String> = names.iter().map(|name| format!("{name}@tidewater.example")).collect();
    let call = world.admin.client.call("inviteUsersToOrganization").here(world);
    call.json(json!({ "emails": emails })).expect(200).await;
}

fn sender(world: &World, mailer: Mailer) -> Runner {
    Runner::new(world.app().kernel.jobs.clone(), Kinds::default().with(SendMail(mailer)))
}

/// Sends the mails that are due and returns how many.
async fn send(world: &World, server: &MailServer) -> usize {
    sender(world, server.mailer()).run_due().await.unwrap()
}

async fn a_mail_is_sent_once(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    assert_eq!(send(&world, &server).await, 0);
    invite(&world, &["aiko", "mateo"]).await;
    let waiting = mail_jobs(&world.app().kernel.db).await;
    assert!(
        waiting
            .iter()
            .all(|job| job.attempts == 0 && job.state == JobState::Queued)
    );
    assert_eq!(send(&world, &server).await, 2);
    world.service.advance(TimeDelta::days(1));
    assert_eq!(send(&world, &server).await, 0);
    let received = server.received();
    assert_eq!(received.len(), 2);
    for job in &waiting {
        let mail = mail_of(job);
        let recipient = format!("RCPT TO:<{}>", mail.recipient);
        let received = received
            .iter()
            .find(|received| received.commands.contains(&recipient))
            .unwrap();
        let text = &received.mail;
        assert!(
            received
                .commands
                .contains(&"MAIL FROM:<docs@tidewater.example>".to_owned())
        );
        let headers = [
            format!("Message-ID: <{}@tidewater.example>\r\n", job.id),
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
    let sent = mail_jobs(&world.app().kernel.db).await;
    assert!(
        sent.iter()
            .all(|job| job.attempts == 1 && job.state == JobState::Succeeded)
    );
    // Links to join are not kept longer than they are needed.
    assert!(
        sent.iter()
            .all(|job| job.next_attempt_at.is_none() && job.payload == Value::Null)
    );
}

async fn a_mail_that_is_refused_is_tried_again_later(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    server.refuse(true);
    assert_eq!(send(&world, &server).await, 0);
    let [job] = mail_jobs(&world.app().kernel.db).await.try_into().unwrap();
    assert_eq!((job.attempts, job.state), (1, JobState::Queued));
    let error = job.last_error.unwrap();
    assert!(error.contains("451") && error.contains("not now"), "{error}");
    server.refuse(false);
    // Not before its time.
    world.service.advance(TimeDelta::seconds(59));
    assert_eq!(send(&world, &server).await, 0);
    // At most half of the minute is added by chance.
    world.service.advance(TimeDelta::seconds(31));
    assert_eq!(send(&world, &server).await, 1);
    let [job] = mail_jobs(&world.app().kernel.db).await.try_into().unwrap();
    assert_eq!((job.attempts, job.last_error), (2, None));
    assert_eq!(server.received().len(), 1);
}

async fn a_mail_that_is_always_refused_is_given_up_and_kept(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    server.refuse(true);
    invite(&world, &["aiko"]).await;
    let mut hours = 0;
    while mail_jobs(&world.app().kernel.db).await[0].state != JobState::Failed {
        assert!(hours < 72, "it does not end");
        assert_eq!(send(&world, &server).await, 0);
        world.service.advance(TimeDelta::hours(1));
        hours += 1;
    }
    assert!(hours > 24, "after {hours} hours already");
    server.refuse(false);
    world.service.advance(TimeDelta::days(80));
    assert_eq!(send(&world, &server).await, 0);
    world.app().kernel.jobs.purge().await.unwrap();
    let [job] = mail_jobs(&world.app().kernel.db).await.try_into().unwrap();
    assert_eq!((job.attempts, job.next_attempt_at), (12, None));
    assert!(job.last_error.is_some());
    assert_eq!(mail_of(&job).recipient, "aiko@tidewater.example");
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
    assert!(
        mail_jobs(&world.app().kernel.db)
            .await
            .iter()
            .all(|job| job.attempts == 1)
    );
}

async fn a_sender_that_dies_loses_no_mail(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    server.hang(true);
    let mut runner = sender(&world, server.mailer());
    let sending = tokio::spawn(async move { runner.run_due().await });
    server.connected().await;
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    server.hang(false);
    // The others do not know that it is gone.
    assert_eq!(send(&world, &server).await, 0);
    world.service.advance(TimeDelta::minutes(5));
    assert_eq!(send(&world, &server).await, 1);
    assert_eq!(mail_jobs(&world.app().kernel.db).await[0].attempts, 2);
}

async fn a_password_is_sent_where_there_is_one(database: TestDatabase) {
    let world = World::new(database).await;
    let server = MailServer::start().await;
    invite(&world, &["aiko"]).await;
    let mut runner = sender(&world, server.mailer_of("docs:p%40ss@"));
    assert_eq!(runner.run_due().await.unwrap(), 1);
    let [received] = server.received().try_into().unwrap();
    // `\0docs\0p@ss` in base64.
    assert!(received.commands.contains(&"AUTH PLAIN AGRvY3MAcEBzcw==".to_owned()));
}

async fn invite_by(client: &Client, email: &str) {
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    let organization = organizations["items"][0]["id"].as_str().unwrap();
    let call = client
        .call("inviteUsersToOrganization")
        .path("organizationId", organization);
    call.json(json!({ "emails": [email] })).expect(200).await;
}

fn with_mails(home: &std::path::Path, database: &TestDatabase, mails: &MailServer) -> Server {
    Server::spawn_with(home, database, |command| {
        command
            .env("BINDERY_SMTP_URL", mails.url(""))
            .env("BINDERY_MAIL_FROM", "docs@tidewater.example");
    })
}

/// Without a mail server mails wait, also for the next start.
async fn the_program_sends_mails_that_waited_for_a_mail_server(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    database.create().await;
    let mut server = Server::spawn(home.path(), &database);
    let client = server.ready().await;
    invite_by(&client, "aiko@tidewater.example").await;
    server.kill();
    let mails = MailServer::start().await;
    let mut server = with_mails(home.path(), &database, &mails);
    let client = server.ready().await;
    assert!(tokio::time::timeout(PATIENCE, mails.arrived()).await.is_ok());
    invite_by(&client, "mateo@tidewater.example").await;
    assert!(tokio::time::timeout(PATIENCE, mails.arrived()).await.is_ok());
    assert_eq!(mails.received().len(), 2);
}

/// Killed while it sends: the next process sends the mail once the lease is over.
async fn a_killed_program_loses_no_mail(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    database.create().await;
    let mails = MailServer::start().await;
    mails.hang(true);
    let mut server = with_mails(home.path(), &database, &mails);
    let client = server.ready().await;
    invite_by(&client, "aiko@tidewater.example").await;
    assert!(tokio::time::timeout(PATIENCE, mails.connected()).await.is_ok());
    server.kill();
    mails.hang(false);
    let db = database.connect().await;
    let [job] = mail_jobs(&db).await.try_into().unwrap();
    assert_eq!((job.attempts, job.state), (1, JobState::Running));
    end_leases(&db).await;
    db.close().await.unwrap();
    let mut server = with_mails(home.path(), &database, &mails);
    server.ready().await;
    assert!(tokio::time::timeout(PATIENCE, mails.arrived()).await.is_ok());
    assert_eq!(mails.received().len(), 1);
}
