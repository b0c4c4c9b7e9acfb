//! Models of other libraries, from the outside.

use crate::support::Place;

/// Two trees as LightGBM writes them: a set of named categories, then a threshold.
const LIGHTGBM: &str = "tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=regression
feature_names=city width
feature_infos=0:1:2 [0:9]

Tree=0
num_leaves=2
num_cat=1
split_feature=0
threshold=0
decision_type=1
left_child=-1
right_child=-2
leaf_value=14 10
leaf_weight=3 3
leaf_count=3 3
cat_boundaries=0 1
cat_threshold=5
is_linear=0
shrinkage=1

Tree=1
num_leaves=2
num_cat=0
split_feature=1
threshold=4.5
decision_type=10
left_child=-1
right_child=-2
leaf_value=-1 1
leaf_weight=3 3
leaf_count=3 3
is_linear=0
shrinkage=0.1

end of trees

parameters:
[boosting: gbdt]
[categorical_feature: 0]
end of parameters

pandas_categorical:[[\"Bern\", \"Basel\", \"Chur\"]]
";

const TABLE: &str =
    "width,price,city\n1,13,Bern\n8,15,Chur\n2,9,Basel\n9,11,Basel\n,12,Chur\n5,11,Basel\n";

#[test]
fn predict_explain_and_inspect_take_a_file_of_another_library() {
    let place = Place::new();
    let (model, data) = (place.file("model.txt", LIGHTGBM), place.file("data.csv", TABLE));
    let run = place.run(&["predict", model, data, "--out", "-"]);
    assert_eq!(run.code, 0, "{}", run.err);
    // Bern and Chur are members and go left; a missing width goes left.
    assert_eq!(
        run.out.lines().collect::<Vec<_>>(),
        ["prediction", "13", "15", "9", "11", "13", "11"]
    );

    let new = place.file("new.csv", "city,width\nGenf,9\n");
    let run = place.run(&["predict", model, new, "--out", "-"]);
    assert!(run.err.contains("a level that training did not know, such as Genf"), "{}", run.err);
    assert_eq!(run.out.lines().last(), Some("11"));

    let run = place.run(&["inspect", model]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("LightGBM format v4"), "{}", run.out);
    assert!(run.out.contains("3 levels"), "{}", run.out);

    let explain = ["explain", data, "--model", model, "--target", "price"];
    let run = place.run(&[&explain[..], &["--out", "scores.csv", "--save", "all.lmdi"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let scores = place.read("scores.csv");
    let names = "row,prediction,explained,unexplained,base,score:city,score:width";
    assert!(scores.starts_with(names), "{scores}");
    assert_eq!(scores.lines().count(), 7);
    // Saved with its explainer it is a model of ours that needs the other file no more.
    let run = place.run(&["score", "all.lmdi", data, "--out", "again.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(place.read("again.csv"), scores);
}

#[test]
fn the_command_that_makes_an_explainer_can_be_followed() {
    let place = Place::new();
    let (model, data) = (place.file("model.txt", LIGHTGBM), place.file("data.csv", TABLE));
    let follow = |model: &str| {
        let run = place.run(&["score", model, data, "--out", "scores.csv"]);
        assert_eq!(run.code, 1, "{}", run.err);
        let advised = run.err.split('`').nth(1).expect("a command").replace("TRAINING_ROWS", data);
        let advised = advised.replace("MODEL", model).replace("COL", "price");
        let words: Vec<&str> = advised.split(' ').skip(1).collect();
        place.run(&words).good();
        words.last().map(|name| (*name).to_owned()).expect("a file")
    };
    let saved = follow(model);
    place.run(&["score", &saved, data, "--out", "scores.csv"]).good();
    let train = ["train", data, "--target", "price", "--trees", "2", "--save", "own.lmdi"];
    place.run(&train).good();
    place.run(&["score", &follow("own.lmdi"), data, "--out", "scores.csv"]).good();
}

#[test]
fn a_pickle_is_called_one() {
    let place = Place::new();
    let data = place.file("data.csv", TABLE);
    std::fs::write(place.path("m.pkl"), b"\x80\x04\x95\x10\x00\x00").expect("a file");
    let said = &["m.pkl", "a Python pickle", "explainer.save(FILE)"];
    place.run(&["predict", "m.pkl", data, "--out", "p.csv"]).fails(1, said);
    place.run(&["inspect", "m.pkl"]).fails(1, said);
}

/// LightGBM writes `floor space` as `floor_space`: the table it was trained on has the name with a
/// space, which stays what `--keep` calls the column.
#[test]
fn names_with_spaces_are_found_under_lightgbms_underscores() {
    let place = Place::new();
    let model = place.file("model.txt", LIGHTGBM.replace("width", "floor_space"));
    let data = place.file("data.csv", TABLE.replace("width", "floor space"));
    let run = place.run(&["predict", model, data, "--out", "-", "--keep", "floor space"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[..3], ["floor space,prediction", "1,13", "8,15"]);
    let explain = ["explain", data, "--model", model, "--target", "price", "--out", "-"];
    let run = place.run(&explain);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("score:floor_space"), "{}", run.out);

    // A table that has the very name of the model is not searched for others.
    let both = place.file("both.csv", "floor space,floor_space,city\n9,1,Bern\n");
    let run = place.run(&["predict", model, both, "--out", "-"]);
    assert_eq!(run.out.lines().last(), Some("13"), "{}", run.err);
}

#[test]
fn a_file_that_cannot_be_used_says_why() {
    let place = Place::new();
    let data = place.file("data.csv", TABLE);
    let linear = place.file("linear.txt", LIGHTGBM.replace("is_linear=0", "is_linear=1"));
    let run = place.run(&["predict", linear, data, "--out", "-"]);
    assert_ne!(run.code, 0);
    assert!(run.err.contains("linear.txt") && run.err.contains("linear_tree=false"), "{}", run.err);
    let closed = place.file("model.cbm", "CBM1....");
    for command in [&["inspect", closed][..], &["predict", closed, data, "--out", "-"]] {
        let run = place.run(command);
        assert_ne!(run.code, 0);
        assert!(run.err.contains("format=\"json\""), "{}", run.err);
    }
}

/// How much of a boosted model the explanation reproduces is said, and a target that is not the model's
/// is told.
#[test]
fn a_target_that_is_not_the_models_is_told() {
    let place = Place::new();
    let table = |target: &dyn Fn(u32) -> f64| {
        let line = |i: u32| format!("{},{},{}\n", i % 17, i * 7 % 13, target(i));
        format!("a,b,y\n{}", (0..120).map(line).collect::<String>())
    };
    let trained = table(&|i| f64::from(i % 17) + f64::from(u8::from(i * 7 % 13 > 5)));
    place.file("train.csv", trained);
    place.file("other.csv", table(&|i| f64::from(i * 31 % 23)));
    let train = ["train", "train.csv", "--target", "y", "--model", "boosting", "--save", "m.lmdi"];
    assert_eq!(place.run(&train).code, 0);
    let explain = |file| {
        let run = place.run(&["explain", file, "--target", "y", "--model", "m.lmdi"]);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    let (own, other) = (explain("train.csv"), explain("other.csv"));
    assert!(own.contains("LMDI+ reproduces 9"), "{own}");
    assert!(!own.contains("WARNING"), "{own}");
    assert!(
        other.contains("WARNING: On the rows it was fitted to, LMDI+ reproduces only"),
        "{other}"
    );
    assert!(other.contains("not the rows the model was trained on"), "{other}");
    // A model trained here saw these rows and this target: noise is the only cause left.
    let train = ["explain", "other.csv", "--target", "y", "--model", "boosting"];
    let noise = place.run(&train).out;
    assert!(noise.contains("WARNING: On the rows it was fitted to, LMDI+"), "{noise}");
    assert!(noise.contains("does not hold up on other rows"), "{noise}");
    assert!(!noise.contains("not the rows the model was trained on"), "{noise}");
}
