//! The first start on an empty database, and every other start.

use bindery::{
    app::App,
    commands::first_run::{FirstRun, first_run},
};
use platform::config::{Flags, Settings};
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;

use crate::support::{
    client::Client,
    database::{TestDatabase, on_each_database},
    service::Service,
};

on_each_database![
    somebody_can_come_in_after_the_first_run,
    one_of_several_first_runs_creates_something,
    a_chosen_token_is_used,
    nothing_is_created_where_there_are_users,
];

struct Empty {
    app: App,
    settings: Settings,
    _data: TempDir,
}

async fn empty(database: &TestDatabase) -> Empty {
    let data = tempfile::tempdir().unwrap();
    let flags = Flags {
        data_dir: Some(data.path().display().to_string()),
        admin_email: Some("Boss@Tidewater.example".to_owned()),
        ..Flags::default()
    };
    let settings = Settings::of_flags(&flags).unwrap();
    let app = App::new(database.migrated().await, &settings);
    Empty {
        app,
        settings,
        _data: data,
    }
}

async fn somebody_can_come_in_after_the_first_run(database: TestDatabase) {
    let Empty { app, settings, .. } = &empty(&database).await;
    let created = first_run(app, settings).await.unwrap().unwrap();
    assert_eq!(created.email, "boss@tidewater.example");
    assert!(first_run(app, settings).await.unwrap().is_none());

    let service = Service::start(database).await;
    let client = Client::new(&service.base).with_token(created.token.expose_secret());
    assert_eq!(
        client.call("getAuthenticatedUser").expect(200).await["email"],
        created.email
    );
    let organizations = client.call("listOrganizationsForAuthenticatedUser").expect(200).await;
    assert_eq!(organizations["count"], 1);
    assert_eq!(organizations["items"][0]["id"], created.organization);
    assert_eq!(organizations["items"][0]["permissions"]["admin"], true);
}

async fn one_of_several_first_runs_creates_something(database: TestDatabase) {
    let Empty { app, settings, .. } = &empty(&database).await;
    let runs = [(); 4].map(|()| first_run(app, settings));
    let created: Vec<FirstRun> = futures_util::future::join_all(runs)
        .await
        .into_iter()
        .filter_map(Result::unwrap)
        .collect();
    assert_eq!(created.len(), 1);
    assert_eq!(
        bindery::areas::identity::users::list(&app.kernel).await.unwrap().len(),
        1
    );
    assert_eq!(
        bindery::areas::organizations::organizations::list(&app.kernel)
            .await
            .unwrap()
            .len(),
        1
    );
}

async fn a_chosen_token_is_used(database: TestDatabase) {
    let Empty { app, settings, .. } = &empty(&database).await;
    let token = "chosen-by-the-operator-of-the-server";
    let mut settings = settings.clone();
    settings.admin_token = Some(SecretString::from(token));
    assert!(first_run(app, &settings).await.unwrap().unwrap().token_was_given);
    let service = Service::start(database).await;
    Client::new(&service.base)
        .with_token(token)
        .call("getAuthenticatedUser")
        .expect(200)
        .await;
}

async fn nothing_is_created_where_there_are_users(database: TestDatabase) {
    let Empty { app, settings, .. } = &empty(&database).await;
    bindery::areas::identity::users::create(&app.identity, "someone@tidewater.example", "Someone")
        .await
        .unwrap();
    assert!(first_run(app, settings).await.unwrap().is_none());
    assert!(
        bindery::areas::organizations::organizations::list(&app.kernel)
            .await
            .unwrap()
            .is_empty()
    );
}
