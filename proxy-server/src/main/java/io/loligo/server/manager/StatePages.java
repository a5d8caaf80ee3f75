package io.loligo.server.manager;

import io.loligo.core.config.ValueInForce;
import io.loligo.core.message.IpText;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.store.disk.DiskStats;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The pages of what there is: directories, parents, configuration, pages. Stateless. */
final class StatePages {
  private StatePages() {}

  /** The page {@code menu}. */
  static String menu(ManagerPasswords passwords) {
    PageLines page = new PageLines();
    for (ManagerPage one : ManagerPage.values()) {
      page.line(
          " %-22s\t%-32s\t%s",
          one.word(), one.title(), passwords.of(one).name().toLowerCase(Locale.ROOT));
    }
    return page.toString();
  }

  /** The page {@code config}. */
  static String config(ManagerFacts facts) {
    PageLines page = new PageLines();
    for (ValueInForce value : facts.config()) {
      page.plain((value.directive() + ' ' + value.value()).strip());
    }
    return page.toString();
  }

  /** The page {@code storedir}. */
  static String storedir(ManagerFacts facts) {
    List<DiskStats> disks = facts.disks();
    long used = disks.stream().mapToLong(DiskStats::usedBytes).sum();
    long capacity = disks.stream().mapToLong(DiskStats::capacityBytes).sum();
    long objects = disks.stream().mapToLong(DiskStats::objects).sum();
    double percent = PageLines.percent(used, capacity);
    PageLines page = new PageLines().plain("Store Directory Statistics:");
    page.line("Store Entries          : %d", Math.max(objects, facts.store().entries()));
    page.line("Maximum Swap Size      : %d KB", capacity / 1024);
    page.line("Current Store Swap Size: %.2f KB", PageLines.kilobytes(used));
    page.line("Current Capacity       : %.2f%% used, %.2f%% free", percent, 100 - percent);
    for (int i = 0; i < disks.size(); i++) {
      directory(page.plain(""), i, disks.get(i));
    }
    return page.toString();
  }

  private static void directory(PageLines page, int number, DiskStats disk) {
    page.line("Store Directory #%d (loligo): %s", number, disk.path());
    page.line("Maximum Size: %d KB", disk.capacityBytes() / 1024);
    page.line("Current Size: %.2f KB", PageLines.kilobytes(disk.usedBytes()));
    page.line("Percent Used: %.2f%%", PageLines.percent(disk.usedBytes(), disk.capacityBytes()));
    page.line("Flags: %s", disk.state());
  }

  /** The page {@code mem}. */
  static String memory(ManagerFacts facts) {
    PageLines page = new PageLines().plain("Current memory usage:");
    page.plain("Pool\tIn Use (KB)\tLimit (KB)");
    for (MemoryOwners.Owner owner : facts.metrics().ledger().owners()) {
      long limit = owner.limitBytes().getAsLong();
      page.line(
          "%-20s\t%d\t%s",
          owner.name(), owner.usedBytes().getAsLong() / 1024, limit < 0 ? "-" : limit / 1024);
    }
    page.line("%-20s\t%d\t-", "Total", facts.process().memoryBytes() / 1024);
    return page.toString();
  }

  /** The page {@code server_list}. */
  static String parents(ManagerFacts facts) {
    PageLines page = new PageLines();
    Map<String, List<String>> addresses = addresses(facts);
    for (ParentFacts parent : facts.parents()) {
      PeerNumbers numbers = parent.numbers();
      page.plain("");
      page.line("%-11s: %s", parent.kind(), numbers.name());
      page.line("Host       : %s/%d/%d", parent.host(), parent.port(), parent.queryPort());
      List<String> known = addresses.getOrDefault(parent.host(), List.of());
      for (int i = 0; i < known.size(); i++) {
        page.line("Address[%d] : %s", i, known.get(i));
      }
      page.line("Status     : %s", numbers.up() ? "Up" : "Down");
      page.line("FETCHES    : %d", numbers.value(PeerCount.REQUESTS));
      page.line("OPEN CONNS : %d", numbers.connections());
      queries(page, numbers);
      digest(page, numbers);
    }
    if (facts.parents().isEmpty()) {
      page.plain("no parents");
    }
    return page.toString();
  }

  private static void queries(PageLines page, PeerNumbers numbers) {
    long sent = numbers.value(PeerCount.QUERIES);
    if (sent == 0) {
      return;
    }
    long acked =
        numbers.value(PeerCount.QUERY_HITS)
            + numbers.value(PeerCount.QUERY_MISSES)
            + numbers.value(PeerCount.QUERY_REFUSALS);
    page.line("AVG RTT    : %d msec", numbers.roundTripMillis());
    page.line("PINGS SENT : %8d", sent);
    page.line("PINGS ACKED: %8d %3d%%", acked, 100 * acked / sent);
  }

  /** The part about the digest of a peer; Squid has it on a page of its own. */
  private static void digest(PageLines page, PeerNumbers numbers) {
    long hits = numbers.value(PeerCount.DIGEST_HITS);
    long misses = numbers.value(PeerCount.DIGEST_MISSES);
    if (hits + misses == 0) {
      return;
    }
    page.line("DIGEST HITS: %8d %3d%%", hits, 100 * hits / (hits + misses));
    page.line("FALSE HITS : %8d", numbers.value(PeerCount.DIGEST_FALSE_HITS));
  }

  /** The addresses of parents: those of their lines, and those in the caches of DNS. */
  private static Map<String, List<String>> addresses(ManagerFacts facts) {
    Map<String, List<String>> addresses = new HashMap<>();
    boolean hasNames = false;
    for (ParentFacts parent : facts.parents()) {
      if (IpText.parse(parent.host()) == null) {
        hasNames = true;
      } else {
        addresses.put(parent.host(), List.of(parent.host()));
      }
    }
    if (hasNames) {
      for (LoopFacts loop : facts.loops()) {
        loop.names().forEach(name -> addresses.putIfAbsent(name.name(), name.answers()));
      }
    }
    return addresses;
  }
}
