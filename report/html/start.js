addEventListener("hashchange", () => update());
allTables.forEach((t) => t.draw());
update();
