package io.loligo.server.admin;

import io.loligo.core.config.ValueChange;
import io.loligo.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcome of a reload. Immutable.
 *
 * @param done false: the old configuration stays in force
 * @param problems why it failed, with the line of the file; one line each
 * @param applied the changes that are in force now
 * @param later the changes that need a restart, each with its reason
 */
public record Reloaded(
    boolean done, List<String> problems, List<ValueChange> applied, List<ValueChange> later) {
  /** Changes of either kind in a report, at most: {@value}. */
  static final int MAX_CHANGES = 100;

  private static final String UNCHANGED =
      "no line has changed; the files that lines name were read again";

  /** The changes are in force, except for {@code later}. */
  public static Reloaded done(List<ValueChange> applied, List<ValueChange> later) {
    return new Reloaded(true, List.of(), List.copyOf(applied), List.copyOf(later));
  }

  /** Nothing has changed, because of {@code problems}. */
  public static Reloaded failed(List<String> problems) {
    return new Reloaded(false, List.copyOf(problems), List.of(), List.of());
  }

  /**
   * The report, one line each, bounded in number and length: why it failed; or the changes in
   * force, and then those that need a restart.
   */
  public List<String> lines() {
    if (!done) {
      return problems;
    }
    List<String> lines = new ArrayList<>();
    addTo(lines, applied);
    addTo(lines, later);
    return lines.isEmpty() ? List.of(UNCHANGED) : lines;
  }

  private static void addTo(List<String> lines, List<ValueChange> changes) {
    changes.stream().limit(MAX_CHANGES).map(ValueChange::text).forEach(lines::add);
    if (changes.size() > MAX_CHANGES) {
      lines.add("and " + (changes.size() - MAX_CHANGES) + " changes more");
    }
  }

  /** For people. */
  public String text() {
    return (done ? "reloaded" : "not reloaded, the old configuration stays in force")
        + (lines().isEmpty() ? "" : ":\n" + String.join("\n", lines()));
  }

  /** For programs. */
  String json() {
    JsonWriter json = JsonWriter.compact().beginObject().member("reloaded", done);
    json.name("lines").beginArray();
    lines().forEach(json::value);
    json.endArray();
    changes(json, "applied", applied);
    changes(json, "needs_restart", later);
    return json.endObject().toString();
  }

  private static void changes(JsonWriter json, String name, List<ValueChange> changes) {
    json.name(name).beginArray();
    changes.stream().limit(MAX_CHANGES).forEach(change -> change(json, change));
    json.endArray();
  }

  private static void change(JsonWriter json, ValueChange change) {
    json.beginObject().member("directive", change.directive());
    if (change.before() != null) {
      json.member("before", change.before());
    }
    if (change.after() != null) {
      json.member("after", change.after());
    }
    json.member("source", change.source().isEmpty() ? "default" : change.source());
    if (!change.restart().isEmpty()) {
      json.member("reason", change.restart());
    }
    json.endObject();
  }
}
