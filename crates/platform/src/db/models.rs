//! Whole rows of entities.

use entity::{
    authoring::change_requests,
    library::{collections, nodes, spaces},
    publishing::sites,
};
use sea_orm::DbErr;

use super::positional::{Columns, ModelColumns};

/// Lists the columns of entities in their order.
macro_rules! model_rows {
    ($($($entity:ident)::+ { $($column:ident,)+ })+) => {
        $(impl ModelColumns for $($entity::)+Model {
            fn from_columns(columns: &mut Columns<'_>) -> Result<Self, DbErr> {
                Ok(Self { $($column: columns.read()?,)+ })
            }
        })+

        #[cfg(test)]
        mod tests {
            use sea_orm::{Iterable, sea_query::Iden};

            #[test]
            fn columns_are_read_in_the_order_of_queries() {
                $(
                    let selected: Vec<String> = super::$($entity::)+Column::iter().map(|column| column.unquoted().to_owned()).collect();
                    assert_eq!(selected, [$(stringify!($column)),+]);
                )+
            }
        }
    };
}

model_rows! {
    change_requests {
        id,
        space_id,
        number,
        status,
        subject,
        description,
        created_by,
        created_at,
        updated_at,
        revision_id,
        initial_id,
        ancestor_id,
        merged_id,
        organization_id,
    }
    collections {
        id,
        description,
    }
    nodes {
        id,
        organization_id,
        kind,
        parent_id,
        position,
        title,
        default_level,
        effective_default,
        created_at,
        updated_at,
        deleted_at,
    }
    sites {
        id,
        organization_id,
        plan,
        title,
        title_folded,
        visibility,
        basename,
        proxy,
        hostname,
        published,
        adaptive_content,
        in_agents_context,
        site_spaces_count,
        version,
        created_at,
        published_at,
        favicon,
    }
    sites::adaptive_schemas {
        site_id,
        schema,
        updated_at,
    }
    sites::publishing_auth {
        site_id,
        backend,
        key_number,
        fallback_url,
        saml_provider_id,
    }
    sites::share_links {
        id,
        site_id,
        name,
        active,
        created_at,
    }
    spaces {
        id,
        emoji,
        icon,
        visibility,
        edit_mode,
        language,
        merge_rules,
        revision_id,
        change_requests,
        change_requests_open,
        change_requests_draft,
    }
}
