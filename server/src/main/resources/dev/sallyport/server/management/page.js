"use strict";

// Everything in a record may come from a program that nobody trusts: it becomes text, never markup.

const MOST_ROWS = 1000;
const ACTIONS = new Set(["allow", "reject", "stub", "error", "client_cancel"]);

const rows = document.getElementById("records");
const state = document.getElementById("state");
const filter = document.getElementById("filter");
const whole = document.getElementById("whole");
let missed = 0;

function text(value) {
  // Control and format characters would hide or turn around what stands beside them.
  return String(value ?? "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
      (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

function cell(row, value, name) {
  const made = document.createElement("td");
  made.textContent = text(value);
  if (name) {
    made.className = name;
  }
  row.append(made);
}

function because(record) {
  return [record.rejected_by, record.stubbed_by, record.error].filter(Boolean).join("; ");
}

function matches(row) {
  return row.textContent.toLowerCase().includes(filter.value.toLowerCase());
}

function add(line) {
  const record = JSON.parse(line);
  const audit = record.audit ?? {};
  const row = document.createElement("tr");
  if (ACTIONS.has(audit.action)) {
    row.classList.add(audit.action);
  }
  cell(row, String(record.time ?? "").slice(11, 23));
  cell(row, audit.action, "verdict");
  cell(row, audit.status_code);
  cell(row, [audit.method, (audit.host || record.tunnel?.target || "") + (audit.port ? ":" + audit.port : "")
      + (audit.path ?? "")].filter(Boolean).join(" "));
  cell(row, (audit.request_bytes ?? 0) + (audit.response_bytes ?? 0));
  cell(row, because(record));
  row.hidden = !matches(row);
  row.addEventListener("click", () => {
    whole.textContent = text(JSON.stringify(record, null, 2)).replaceAll("\\u{a}", "\n");
    whole.hidden = false;
    whole.scrollIntoView();
  });
  rows.prepend(row);
  while (rows.childElementCount > MOST_ROWS) {
    rows.lastElementChild.remove();
  }
}

filter.addEventListener("input", () => {
  for (const row of rows.children) {
    row.hidden = !matches(row);
  }
});

const source = new EventSource(document.body.dataset.records);
source.addEventListener("open", () => {
  rows.replaceChildren(); // the newest come again after a break
  state.textContent = "live";
});
source.addEventListener("record", (event) => add(event.data));
source.addEventListener("skipped", (event) => {
  missed += JSON.parse(event.data).count;
  state.textContent = "live; " + missed + " not shown";
});
source.addEventListener("error", () => {
  state.textContent = "the program has ended, or the connection is lost";
});
