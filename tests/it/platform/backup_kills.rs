//! Backups that are killed: what is under the name of an archive is whole, and the next backup leaves nothing of them behind.

use std::{fs, os::unix::process::ExitStatusExt, path::Path, time::Instant};

use entity::{
    platform::backups::{Column, Entity},
    timestamp::Timestamp,
};
use platform::db::{Backend, Db, DbOptions};
use sea_orm::{EntityTrait, sea_query::Expr};
use tokio::time::sleep;

use crate::support::{
    backups::{Content, Installation, names, output},
    database::{TestDatabase, on_each_database},
};

on_each_database![killed_backups_leave_the_last_one];

/// In how many moments of a backup the program is killed.
const MOMENTS: u32 = 5;

/// The signal of the kernel for files that are too large.
const XFSZ: i32 = 25;

/// At a limit of the size of files, in half KiB, the kernel ends the program in the middle of a write. The database is larger than the
/// lower one and smaller than the higher one, as the file in [`Installation::with_a_large_file`] is.
const LIMITS: [u32; 2] = [2048, 6144];

async fn killed_backups_leave_the_last_one(database: TestDatabase) {
    let source = Installation::with_a_large_file(database.backend()).await;
    let place = source.path("place");
    fs::create_dir(&place).unwrap();
    let (first, next) = (place.join("a.tar"), place.join("b.tar"));
    let next = ["backup", next.to_str().unwrap()];
    let began = Instant::now();
    source.run(&["backup", first.to_str().unwrap()]);
    let whole = began.elapsed();

    for (limit, copies) in LIMITS.into_iter().zip([database.backend() == Backend::Sqlite, false]) {
        let limited = format!("ulimit -c 0; ulimit -f {limit}; exec env --default-signal=XFSZ \"$0\" \"$@\"");
        let ended = output(source.program(&["sh", "-c", &limited], &next));
        assert_eq!(ended.status.signal(), Some(XFSZ), "{ended:?}");
        assert_eq!(source.path("backup.snapshot.db").exists(), copies);
        assert_eq!(left_in(&place), ["a.tar"], "at the limit {limit}");
        let reason = source.refused(&next);
        assert!(reason.contains("another backup runs. If it was killed"), "{reason}");
        end_lease(&source.database).await;
    }
    for moment in 0..MOMENTS {
        let mut child = source.command(&next).spawn().unwrap();
        // Not to wait for anything: to hit another moment each time.
        sleep(whole * moment / (MOMENTS - 1)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        if left_in(&place).len() > 1 {
            Content::of(&place.join("b.tar"));
        }
        end_lease(&source.database).await;
    }

    source.run(&next);
    assert_eq!(names(&place), ["a.tar", "b.tar"]);
    let kept = source.names();
    assert!(!kept.iter().any(|name| name.contains("snapshot")), "{kept:?}");
    for archive in names(&place) {
        let target = Installation::new(database.backend()).await;
        target.run(&["restore", place.join(archive).to_str().unwrap()]);
        assert!(target.run(&["org", "list"]).contains("Kestrel Weather"));
    }
}

/// The names in a directory that are seen as archives.
fn left_in(place: &Path) -> Vec<String> {
    let mut names = names(place);
    names.retain(|name| !name.starts_with('.'));
    names
}

/// As after ten minutes.
async fn end_lease(database: &TestDatabase) {
    let db = Db::connect(database.url(), &DbOptions::default()).await.unwrap();
    let end = Entity::update_many().col_expr(Column::LeaseEndsAt, Expr::value(Timestamp::from_millis(0)));
    db.write(|tx| async move { end.exec(&tx).await.map(drop) })
        .await
        .unwrap();
    db.close().await.unwrap();
}
