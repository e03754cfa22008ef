//! The skeleton of a new area, as it would be written into this repository. That it builds and works is tried by the test
//! of the gates, on a copy.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use chrono::NaiveDate;
use openapi_codegen::{
    Contract,
    scaffold::{File, Names, Plan},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

fn plan(root: &Path, context: &str, area: &str, one: Option<&str>) -> Result<Plan, String> {
    let contract = Contract::load(&root.join("openapi")).unwrap();
    let today = NaiveDate::from_ymd_opt(2026, 12, 24).unwrap();
    let names = Names::new(context, area, one)?;
    Plan::new(root, &contract.api, &names, today).map_err(|refusal| refusal.to_string())
}

fn names(root: &Path, files: &[File]) -> Vec<String> {
    let files = files.iter().map(|file| file.path.strip_prefix(root).unwrap());
    files.map(|path| path.display().to_string()).collect()
}

#[test]
fn every_layer_has_its_part() {
    let root = root();
    let plan = plan(&root, "library", "tide_tables", None).unwrap();
    let expected = [
        "openapi/components/library/tide_tables.yaml",
        "openapi/paths/library/tide_tables.yaml",
        "migration/src/m20261224_tide_tables.rs",
        "entity/src/library/tide_tables.rs",
        "src/areas/library/tide_tables/mod.rs",
        "tests/it/library/tide_tables.rs",
    ];
    assert_eq!(names(&root, &plan.new), expected);
    for file in plan.new.iter().chain(&plan.changed) {
        assert!(!file.text.contains("{{"), "{}", file.path.display());
    }
    let paths = &plan.new[1].text;
    for part in [
        "tideTables:\n",
        "operationId: createTideTable\n",
        "name: tideTableId,",
        "Creates a tide table.",
    ] {
        assert!(paths.contains(part), "{part:?} is not in\n{paths}");
    }
}

#[test]
fn files_that_exist_only_gain_lines() {
    let root = root();
    let plan = plan(&root, "library", "bookmarks", None).unwrap();
    let mut changed = names(&root, &plan.changed);
    changed.sort();
    let expected = [
        "crates/ids/src/lib.rs",
        "entity/src/lib.rs",
        "entity/src/library/mod.rs",
        "migration/src/lib.rs",
        "openapi/openapi.yaml",
        "src/areas/library/mod.rs",
        "tests/it/library/mod.rs",
        "tests/it/support/places.rs",
    ];
    assert_eq!(changed, expected);
    for File { path, text } in &plan.changed {
        let original = fs::read_to_string(path).unwrap();
        let mut after = text.lines();
        for line in original.lines() {
            assert!(after.any(|kept| kept == line), "{} loses {line:?}", path.display());
        }
        assert!(text.len() > original.len());
    }
    let modules = plan.changed.iter().find(|file| file.path.ends_with("library/mod.rs"));
    let modules: Vec<&str> = modules
        .unwrap()
        .text
        .lines()
        .filter(|line| line.starts_with("pub mod "))
        .collect();
    assert!(modules.is_sorted(), "{modules:?}");
}

/// Copies the sources of a folder as they were before a context: without its folders, and without the lines that name it.
fn copy_without(context: &str, from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if name == context {
            continue;
        }
        if path.is_dir() {
            copy_without(context, &path, &to.join(&name));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let lines = text.lines().filter(|line| !line.to_lowercase().contains(context));
            let text: String = lines.map(|line| format!("{line}\n")).collect();
            fs::write(to.join(&name), text).unwrap();
        }
    }
}

#[test]
fn a_new_context_has_a_service() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-insights");
    for folder in [
        "openapi/paths",
        "migration/src",
        "entity/src",
        "crates/ids/src",
        "src",
        "tests/it",
    ] {
        copy_without("insights", &self::root().join(folder), &root.join(folder));
    }
    let contract = self::root().join("openapi");
    fs::copy(contract.join("openapi.yaml"), root.join("openapi/openapi.yaml")).unwrap();
    let mut contract = Contract::load(&contract).unwrap();
    contract.api.contexts.retain(|context| context.name != "insights");
    let today = NaiveDate::from_ymd_opt(2026, 12, 24).unwrap();
    let names = Names::new("insights", "bookmarks", None).unwrap();
    let plan = Plan::new(&root, &contract.api, &names, today);
    let plan = plan.map_err(|refusal| refusal.to_string()).unwrap();
    let text = |path: &str| {
        let mut files = plan.new.iter().chain(&plan.changed);
        &files.find(|file| file.path == root.join(path)).unwrap().text
    };
    for (path, parts) in [
        (
            "src/areas/insights/mod.rs",
            &["impl InsightsService for Insights {"][..],
        ),
        (
            "src/areas/insights/bookmarks/mod.rs",
            &["impl BookmarksApi for Insights {"],
        ),
        ("src/areas/mod.rs", &["pub mod identity;\npub mod insights;\n"]),
        (
            "src/app.rs",
            &[
                "        insights::Insights,\n    },",
                "    pub insights: Arc<Insights>,\n}",
                "        Self {\n            insights: Arc::new(Insights::new(&kernel, &access)),\n",
            ],
        ),
        ("src/http/api.rs", &["        app.identity,\n        app.insights,\n"]),
    ] {
        for part in parts {
            assert!(text(path).contains(part), "{part:?} is not in {path}");
        }
    }
}

#[test]
fn tags_stand_in_the_order_of_their_groups() {
    let root = root();
    for (context, area) in [
        ("library", "bookmarks"),
        ("publishing", "newsletters"),
        ("insights", "visits"),
    ] {
        let plan = plan(&root, context, area, None).unwrap();
        let contract = plan.changed.iter().find(|file| file.path.ends_with("openapi.yaml"));
        let text = &contract.unwrap().text;
        let names = |from: &str, to: &str, mark: &str| -> Vec<String> {
            let (_, block) = text.split_once(from).unwrap();
            let (block, _) = block.split_once(to).unwrap();
            let names = block.lines().filter_map(|line| line.strip_prefix(mark));
            names.map(str::to_owned).collect()
        };
        let tags = names("\ntags:\n", "\nx-tagGroups:", "  - name: ");
        assert_eq!(tags, names("\nx-tagGroups:\n", "\nsecurity:", "      - "));
        assert!(tags.contains(&area.to_owned()), "{tags:?}");
    }
}

#[test]
fn existing_files_are_not_written_again() {
    let root = root();
    let refused = plan(&root, "organizations", "teams", None).err().unwrap();
    for part in [
        "components/organizations/teams.yaml exists",
        "src/areas/organizations/teams exists",
        "the tag `teams` exists",
        "the schema `Team` exists",
    ] {
        assert!(refused.contains(part), "{part:?} is not in\n{refused}");
    }
    // Another area whose things would be called as others are.
    let refused = plan(&root, "organizations", "groups", Some("team")).err().unwrap();
    assert_eq!(
        refused,
        "the schema `Team` exists\nthe schema `TeamList` exists\nthe schema `CreateTeam` exists"
    );
}

#[test]
fn files_that_appeared_meanwhile_stay_as_they_are() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaffold");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("taken.rs");
    fs::write(&path, "mine").unwrap();
    let file = |path: &Path| File {
        path: path.to_owned(),
        text: "theirs".to_owned(),
    };
    let other = folder.join("other.rs");
    fs::write(&other, "mine").unwrap();
    let plan = Plan {
        new: vec![file(&path)],
        changed: vec![file(&other)],
    };
    assert!(plan.write().is_err());
    for path in [path, other] {
        assert_eq!(fs::read_to_string(path).unwrap(), "mine");
    }
}

#[test]
fn one_thing_is_named_too_where_it_does_not_follow() {
    let names = |area, one| Names::new("library", area, one).map(|names| names.one);
    assert_eq!(names("bookmarks", None).unwrap(), "bookmark");
    assert_eq!(names("entries", Some("entry")).unwrap(), "entry");
    let unknown = Names::new("harbours", "bookmarks", None).unwrap_err();
    assert!(unknown.contains("`harbours` is not a context"), "{unknown}");
    let without = Names::new("content", "bookmarks", None).unwrap_err();
    assert!(
        without.contains("`content` is not a context with operations"),
        "{without}"
    );
    for (area, one) in [
        ("media", None),
        ("media", Some("media")),
        ("Bookmarks", None),
        ("book-marks", None),
        ("_bookmarks", None),
        ("2_bookmarks", None),
        ("../bookmarks", None),
        ("impls", None),
        ("", None),
        ("s", None),
    ] {
        assert!(names(area, one).is_err(), "{area:?} {one:?}");
    }
    let texts: BTreeSet<String> = [
        "{{a_one}}",
        "{{A_one}}",
        "{{Area_words}}",
        "{{area_kebab}}",
        "{{one_camel}}",
    ]
    .map(|form| Names::new("library", "open_doors", None).unwrap().fill(form))
    .into();
    let expected = ["an open door", "An open door", "Open doors", "open-doors", "openDoor"];
    assert_eq!(texts, expected.map(str::to_owned).into());
}
