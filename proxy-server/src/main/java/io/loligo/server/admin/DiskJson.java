package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.Locale;

/** The state and numbers of each cache_dir as JSON. Stateless. */
final class DiskJson {
  private DiskJson() {}

  /** An array of objects, one for each directory. */
  static String of(List<DiskStats> disks) {
    JsonWriter json = JsonWriter.spaced().beginArray();
    disks.forEach(disk -> add(json.row(), disk));
    return json.endRows().endArray() + "\n";
  }

  /** Adds the object of a directory. */
  static void add(JsonWriter json, DiskStats disk) {
    json.beginObject();
    json.member("path", disk.path());
    json.member("source", disk.source());
    json.member("state", disk.state().name().toLowerCase(Locale.ROOT));
    json.member("reason", disk.reason());
    for (DiskNumber number : DiskNumber.values()) {
      json.member(number.key(), number.of(disk));
    }
    json.endObject();
  }
}
