//! Links of imported books: broken ones, and those to other spaces.

use bindery::areas::exchange::import::{Import, ImportDestination};
use serde_json::Value;

use crate::support::{
    database::{TestDatabase, on_each_database},
    import::{attempt, directory, imported, markdown, problems, tree, wanted},
    texts::add,
    world::World,
};

on_each_database![
    wrong_anchors_and_addresses_are_broken,
    older_anchors_lead_to_headings,
    anchors_of_the_public_product_lead_to_headings,
    anchors_of_titles_lead_to_pages,
    addresses_of_other_spaces_become_references,
];

async fn wrong_anchors_and_addresses_are_broken(database: TestDatabase) {
    let world = World::new(database).await;
    let text = "# One\n\n## 1. First & second\n\n[own](#id-1.-first-and-second) [no](#nowhere)\n\n\
        [good](two.md#part) [bad](two.md#gone) [self](README.md#nowhere)\n\n\
        [lost](lost.md) [root](/lost/page) [web](https://x.example/#y) ![p](p.png)\n";
    let directory = directory(&[("README.md", text), ("two.md", "# Two\n\n## Part\n")]);
    let (space, report) = imported(&world, directory.path()).await;
    let mut lines: Vec<(Option<usize>, bool)> = report.problems.iter().map(|it| (it.line, it.is_error)).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [5, 7, 7, 9, 9, 9].map(|line| (Some(line), true)),
        "{:#?}",
        report.problems
    );
    let said: Vec<&str> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
    for words in [
        "`#nowhere`",
        "`two.md#gone`",
        "`README.md#nowhere`",
        "`lost.md`",
        "`/lost/page`",
        "`p.png`",
    ] {
        assert!(said.iter().any(|message| message.contains(words)), "{words}: {said:?}");
    }
    let links = world.admin.client.call("listSpaceLinks").space(space);
    let links = links.query("status", "broken").expect(200).await;
    // The anchor of the own page is one target, however it is written.
    assert_eq!(links["stats"]["broken"]["total"], 5, "{links}");
    let links = world.admin.client.call("listSpaceLinks").space(space);
    let links = links.query("status", "ok").expect(200).await;
    assert_eq!(links["count"], 3, "{links}");
}

async fn older_anchors_lead_to_headings(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (
            "README.md",
            "# Home\n\n[a](p.md#papeis-de-sistema) [b](p.md#1.-preparation-du-fichier) [c](p.md#uberblick) \
             [d](p.md#papéis-de-sistema) [e](p.md#Setup) [f](p.md#%E5%BF%AB%E9%80%9F)\n",
        ),
        (
            "p.md",
            "# Papéis\n\n## Papéis de sistema\n\n[own](#1-préparation-du-fichier)\n\n## 1. Préparation du fichier\n\nx\n\n\
             ## Überblick\n\nx\n\n## Install {#setup}\n\n## 快速\n",
        ),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let page = id(&tree(&world, space).await["pages"][1]);
    let links = [
        "papeis-de-sistema",
        "id-1.-preparation-du-fichier",
        "uberblick",
        "papeis-de-sistema",
        "setup",
        "kuai-su",
    ];
    let names = ["a", "b", "c", "d", "e", "f"];
    let links = names
        .iter()
        .zip(links)
        .map(|(name, anchor)| format!("[{name}](/pages/{page}#{anchor})"));
    assert_eq!(
        markdown(&world, space, "readme").await,
        links.collect::<Vec<String>>().join(" ")
    );
    let own = markdown(&world, space, "p").await;
    assert!(own.contains("[own](#id-1.-preparation-du-fichier)"), "{own}");
    // Texts that were written before have the forms of their time.
    let text = format!(
        "[a](/pages/{page}#papéis-de-sistema) [b](/pages/{page}#1.-pr%C3%A9paration-du-fichier) [c](/pages/{page}#gone)"
    );
    add(&world, space, &[("Late", &text)]).await;
    let links = world.admin.client.call("listSpaceLinks").space(space);
    let links = links.query("status", "broken").expect(200).await;
    assert_eq!(links["stats"]["broken"]["total"], 1, "{links}");
}

async fn anchors_of_the_public_product_lead_to_headings(database: TestDatabase) {
    let world = World::new(database).await;
    let headings = [
        ("Матричная факторизация", "matrichnaya-faktorizaciya"),
        ("Смещение нуля", "smeshenie-nulya"),
        ("Log loss (функция потерь)", "log-loss-funkciya-poter"),
        ("Жесткий переход", "zhestkii-perekhod"),
        ("IN | OUT | BOTH", "in-or-out-or-both"),
        ("OPEN {VIA|WITH} a key\\_name", "open-via-or-with-a-key_name"),
        ("更新資料", "geng-xin-zi-liao"),
        ("`<inject>` Section", "less-than-inject-greater-than-section"),
        ("🧩 Unité", "unite"),
        ("409 Conflict", "409-conflict"),
        ("Łódź & Straße", "lodz-and-strasse"),
    ];
    let links: Vec<String> = headings
        .iter()
        .map(|(_, anchor)| format!("[x](p.md#{anchor})"))
        .collect();
    let sections: Vec<String> = headings
        .iter()
        .map(|(heading, _)| format!("## {heading}\n\nx\n"))
        .collect();
    let (home, page) = (
        format!("# Home\n\n{}\n", links.join(" ")),
        format!("# P\n\n{}", sections.join("\n")),
    );
    let directory = directory(&[("README.md", &home), ("p.md", &page)]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let links = world.admin.client.call("listSpaceLinks").space(space);
    let links = links.query("status", "ok").expect(200).await;
    assert_eq!(links["count"], headings.len(), "{links}");
}

async fn anchors_of_titles_lead_to_pages(database: TestDatabase) {
    let world = World::new(database).await;
    let directory = directory(&[
        (
            "README.md",
            "# Home\n\n[a](p.md#comment-ca-marche) [b](p.md#Comment-ça-marche) [c](#home)\n",
        ),
        (
            "p.md",
            "# Comment ça marche ?\n\n[own](#comment-ca-marche)\n\n## Part\n",
        ),
    ]);
    let (space, report) = imported(&world, directory.path()).await;
    assert_eq!(problems(&report), [] as [String; 0]);
    let pages = tree(&world, space).await;
    let [home, page] = [0, 1].map(|index| id(&pages["pages"][index]));
    assert_eq!(
        markdown(&world, space, "readme").await,
        format!("[a](/pages/{page}) [b](/pages/{page}) [c](/pages/{home})")
    );
    let own = markdown(&world, space, "p").await;
    assert!(own.contains(&format!("[own](/pages/{page})")), "{own}");
}

fn id(value: &Value) -> String {
    value["id"].as_str().unwrap().to_owned()
}

async fn addresses_of_other_spaces_become_references(database: TestDatabase) {
    let world = World::new(database).await;
    let target = directory(&[
        ("README.md", "# Start\n"),
        ("guides/README.md", "# Guides\n"),
        ("guides/cut.md", "# Cut\n\n## Deep cut\n"),
    ]);
    let (other, _) = imported(&world, target.path()).await;
    let pages = tree(&world, other).await;
    let cut = id(&pages["pages"][1]["pages"][0]);
    let text = "# One\n\n[cut](https://app.example.com/s/AbC123/guides/cut#deep-cut) \
        [with](https://app.example.com/o/XYZ/s/AbC123/guides/cut/) [space](https://app.example.com/s/AbC123) \
        [gone](https://app.example.com/s/AbC123/no/page) [other](https://app.example.com/s/Zzz/guides/cut) \
        [own](https://app.example.com/s/Own1/two)\n";
    let book = directory(&[("README.md", text), ("two.md", "# Two\n")]);
    let import = Import {
        links: vec![
            ("AbC123".to_owned(), other.to_string()),
            ("Own1".to_owned(), ".".to_owned()),
        ],
        ..wanted(book.path())
    };
    let place = ImportDestination::New {
        organization: world.organization.to_string(),
        title: "Book".to_owned(),
    };
    let report = attempt(&world, import, place).await.unwrap();
    let space = report.written.unwrap().0;
    let two = id(&tree(&world, space).await["pages"][1]);
    assert_eq!(
        markdown(&world, space, "readme").await,
        format!(
            "[cut](/spaces/{other}/pages/{cut}#deep-cut) [with](/spaces/{other}/pages/{cut}) [space](/spaces/{other}) \
             [gone](https://app.example.com/s/AbC123/no/page) [other](https://app.example.com/s/Zzz/guides/cut) \
             [own](/pages/{two})"
        )
    );
    let problems = problems(&report);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("no/page"), "{problems:?}");
    assert_eq!(report.problems[0].line, Some(3));
    let back = world
        .admin
        .client
        .call("listSpacePageBacklinks")
        .space(other)
        .path("pageId", &cut);
    assert_eq!(back.expect(200).await["count"], 2);
}
