addEventListener("hashchange", () => update());
update();
