package io.loligo.server.admin;

import io.loligo.server.metrics.DiskNumber;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.Locale;

/** The state and numbers of each cache_dir as JSON. Stateless. */
final class DiskJson {
  private DiskJson() {}

  /** An array of objects, one for each directory. */
  static String of(List<DiskStats> disks) {
    StringBuilder json = new StringBuilder("[");
    for (DiskStats disk : disks) {
      json.append(json.length() == 1 ? "\n" : ",\n");
      json.append("  {\"path\": ").append(JsonText.quoted(disk.path()));
      json.append(", \"source\": ").append(JsonText.quoted(disk.source()));
      json.append(", \"state\": ");
      json.append(JsonText.quoted(disk.state().name().toLowerCase(Locale.ROOT)));
      json.append(", \"reason\": ").append(JsonText.quoted(disk.reason()));
      for (DiskNumber number : DiskNumber.values()) {
        json.append(", \"").append(number.key()).append("\": ").append(number.of(disk));
      }
      json.append('}');
    }
    return json.append("\n]\n").toString();
  }
}
