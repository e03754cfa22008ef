//! `bindery jobs`

use std::process::Output;

use entity::platform::jobs::JobState;
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    jobs::{Node, Work},
    process::command,
};

on_each_database![jobs_are_listed_and_cancelled];

fn jobs(database: &TestDatabase, home: &std::path::Path, arguments: &[&str]) -> Output {
    command(home, database.url(), &[&["jobs"], arguments].concat())
}

async fn jobs_are_listed_and_cancelled(database: TestDatabase) {
    let home = tempfile::tempdir().unwrap();
    let (mut node, _) = Node::new(&database).await;
    node.enqueue(&[Work::Fail, Work::Succeed]).await;
    node.run_due().await;
    let [waiting] = node.enqueue(&[Work::Wait]).await.try_into().unwrap();
    let [failed, succeeded, _] = node.jobs().await.try_into().unwrap();

    let listed = |arguments: &[&str]| -> Vec<Value> {
        let output = jobs(&database, home.path(), arguments);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let ids = |jobs: &[Value]| -> Vec<String> {
        let ids = jobs.iter().map(|job| job["id"].as_str().unwrap().to_owned());
        ids.collect()
    };
    let all = listed(&["--json"]);
    assert_eq!(ids(&all), [waiting.to_string(), failed.id.to_string()]);
    assert_eq!((&all[1]["kind"], &all[1]["state"]), (&"probe".into(), &"queued".into()));
    assert_eq!(
        (&all[1]["attempts"], &all[1]["last error"]),
        (&1.into(), &"notnow".into())
    );
    assert!(all[1]["next attempt"].is_string() && all[1].get("payload").is_none());
    assert_eq!(ids(&listed(&["--json", "--limit", "1"])), [waiting.to_string()]);
    assert_eq!(
        ids(&listed(&["--json", "--state", "succeeded"])),
        [succeeded.id.to_string()]
    );
    assert!(listed(&["--json", "--kind", "send-mail"]).is_empty());
    let table = String::from_utf8(jobs(&database, home.path(), &[]).stdout).unwrap();
    assert!(table.contains("NEXT ATTEMPT") && table.contains("notnow"), "{table}");

    let cancelled = jobs(&database, home.path(), &["cancel", &waiting.to_string()]);
    assert!(cancelled.status.success(), "{cancelled:?}");
    let job = node.jobs().await.into_iter().find(|job| job.id == waiting).unwrap();
    assert_eq!(job.state, JobState::Cancelled);
    for (id, message) in [
        (waiting.to_string(), "has already ended: cancelled"),
        (node.ids.next::<entity::ids::JobId>().to_string(), "there is no job"),
        ("x".to_owned(), "x is not the id of a job"),
    ] {
        let refused = jobs(&database, home.path(), &["cancel", &id]);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && error.contains(message), "{error}");
    }
}
