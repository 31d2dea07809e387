
(function () {
  function key(row, column) {
    var cell = row.cells[column];
    var value = cell.getAttribute("data-v");
    return value === null ? cell.textContent.trim() : Number(value);
  }
  function order(a, b) {
    if (typeof a === typeof b) { return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true }); }
    return typeof a === "number" ? -1 : 1;
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    Array.prototype.forEach.call(table.tHead.rows[0].cells, function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) { button.appendChild(head.firstChild); }
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") === "ascending";
        Array.prototype.forEach.call(table.tHead.rows[0].cells, function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        table.classList.add("sorted");
        var body = table.tBodies[0];
        Array.prototype.slice.call(body.rows).sort(function (a, b) {
          var result = order(key(a, column), key(b, column));
          return down ? -result : result;
        }).forEach(function (row) { body.appendChild(row); });
      });
    });
  });
})();
