//! The names of an area and its entries, in every form that the templates use.

use heck::{ToKebabCase, ToLowerCamelCase, ToPascalCase};

use crate::model::{CONTEXTS, WITHOUT_OPERATIONS};

const LONGEST: usize = 30;

/// The area in snake case, which is the name of the module and of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The context of the area.
    pub context: String,
    pub area: String,
    /// The name of one object of the area.
    pub one: String,
}

impl Names {
    /// Without `one`, the name of one object is the name of the area without the `s`.
    pub fn new(context: &str, area: &str, one: Option<&str>) -> Result<Self, String> {
        let with_operations = CONTEXTS.into_iter().filter(|known| !WITHOUT_OPERATIONS.contains(known));
        let known: Vec<&str> = with_operations.collect();
        if !known.contains(&context) {
            return Err(format!(
                "`{context}` is not a context with operations. Use one of {}.",
                known.join(", ")
            ));
        }
        let one = match one {
            Some(one) => one,
            None => area.strip_suffix('s').ok_or_else(|| {
                format!(
                    "The name of one entry cannot be derived from `{area}`. Add the name: `new {context} {area} <entry>`."
                )
            })?,
        };
        for name in [area, one] {
            if !is_name(name) {
                return Err(format!(
                    "`{name}` is not a valid name: use lower-case words joined by `_`, {LONGEST} characters at most, and not a keyword of Rust."
                ));
            }
        }
        if area == one {
            return Err(format!(
                "The name of one entry must differ from the name of the area, `{area}`."
            ));
        }
        Ok(Self {
            context: context.to_owned(),
            area: area.to_owned(),
            one: one.to_owned(),
        })
    }

    pub fn type_of_one(&self) -> String {
        self.one.to_pascal_case()
    }

    pub fn words(&self) -> String {
        words(&self.area)
    }

    /// A template with its placeholders replaced.
    pub fn fill(&self, template: &str) -> String {
        let (area, one) = (self.area.as_str(), self.one.as_str());
        let article = if one.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        let a_one = format!("{article} {}", words(one));
        let forms = [
            ("context", self.context.clone()),
            ("Context", capital(&words(&self.context))),
            ("Service", self.context.to_pascal_case()),
            ("area", area.to_owned()),
            ("Area", area.to_pascal_case()),
            ("area_camel", area.to_lower_camel_case()),
            ("area_kebab", area.to_kebab_case()),
            ("area_words", words(area)),
            ("Area_words", capital(&words(area))),
            ("one", one.to_owned()),
            ("One", self.type_of_one()),
            ("one_camel", one.to_lower_camel_case()),
            ("one_kebab", one.to_kebab_case()),
            ("one_words", words(one)),
            ("A_one", capital(&a_one)),
            ("a_one", a_one),
        ];
        forms.iter().fold(template.to_owned(), |text, (form, name)| {
            text.replace(&format!("{{{{{form}}}}}"), name)
        })
    }
}

fn is_name(name: &str) -> bool {
    let word = |word: &str| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    name.len() <= LONGEST && name.split('_').all(word) && syn::parse_str::<syn::Ident>(name).is_ok()
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}
