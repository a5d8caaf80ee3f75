package io.loligo.server.manager;

import io.loligo.core.caching.StoredMeta;
import io.loligo.server.manager.LoopFacts.ActiveRequest;
import io.loligo.server.manager.LoopFacts.CachedName;
import io.loligo.server.manager.LoopFacts.Pool;
import io.loligo.server.traffic.Traffic;
import io.loligo.store.StoredObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The pages of requests, clients, names, connections and stored responses. Stateless. */
final class LoopPages {
  private static final int NO_TIME = -1;

  private LoopPages() {}

  /** The page {@code active_requests}. */
  static String activeRequests(ManagerFacts facts) {
    PageLines page = new PageLines();
    int number = 0;
    for (LoopFacts loop : facts.loops()) {
      for (ActiveRequest one : loop.active()) {
        long millis = Math.max(0, facts.nowMillis() - one.startMillis());
        page.line("Connection: %d", ++number);
        page.line("\tremote: %s", one.client());
        page.line("\tlocal: %s", one.local());
        page.line("uri %s", one.url());
        page.line("logType %s", one.tag());
        page.line("req_sz %d", one.bytesIn());
        page.line("start %.6f (%.6f seconds ago)", one.startMillis() / 1_000.0, millis / 1_000.0);
        page.line("username %s", one.user());
        page.plain("");
      }
    }
    return page.toString();
  }

  /** The page {@code client_list}. */
  static String clients(ManagerFacts facts) {
    Traffic.Ranking clients = facts.traffic().clients();
    PageLines page = new PageLines().plain("Cache Clients:");
    long requests = clients.others().requests();
    long hits = clients.others().hits();
    for (Traffic.Sums one : clients.rows()) {
      requests += one.requests();
      hits += one.hits();
      page.line("Address: %s", one.name());
      page.line("    ICP  Requests 0");
      page.line("    HTTP Requests %d", one.requests());
      share(page, "hits", one.hits(), one.requests());
      share(page, "misses", one.misses(), one.requests());
      share(page, "errors", one.errors(), one.requests());
      page.plain("");
    }
    page.plain("TOTALS");
    page.plain("ICP : 0 Queries, 0 Hits (  0%)");
    page.line(
        "HTTP: %d Requests, %d Hits (%3.0f%%)", requests, hits, PageLines.percent(hits, requests));
    return page.toString();
  }

  private static void share(PageLines page, String name, long part, long whole) {
    page.line("        %-20s %7d %3.0f%%", name, part, PageLines.percent(part, whole));
  }

  /** The page {@code ipcache}. */
  static String names(ManagerFacts facts) {
    List<LoopFacts> loops = facts.loops();
    PageLines page = new PageLines().plain("IP Cache Statistics:");
    page.line("IPcache Entries Cached:  %d", loops.stream().mapToInt(LoopFacts::allNames).sum());
    page.plain("").plain("IP Cache Contents:").plain("");
    page.line(" %-31s %3s %6s %6s %s", "Hostname", "Flg", "lstref", "TTL", "N");
    for (LoopFacts loop : loops) {
      for (CachedName one : loop.names()) {
        page.line(
            " %-31s %3s %6d %6d %2d %s",
            one.name(),
            flag(one),
            NO_TIME,
            one.seconds(),
            one.answers().size(),
            String.join(" ", one.answers()));
      }
    }
    return page.toString();
  }

  private static String flag(CachedName name) {
    return name.answers().isEmpty() ? "N" : "";
  }

  /** The page {@code fqdncache}. */
  static String addresses(ManagerFacts facts) {
    List<LoopFacts> loops = facts.loops();
    int all = loops.stream().mapToInt(LoopFacts::allAddresses).sum();
    PageLines page = new PageLines().plain("FQDN Cache Statistics:");
    page.line("FQDNcache Entries In Use: %d", all);
    page.line("FQDNcache Entries Cached: %d", all);
    page.plain("FQDN Cache Contents:").plain("");
    page.line("%-45s %3s %3s %3s %s", "Address", "Flg", "TTL", "Cnt", "Hostnames");
    for (LoopFacts loop : loops) {
      for (CachedName one : loop.addresses()) {
        page.line(
            "%-45s %3s %3d %3d %s",
            one.name(),
            flag(one),
            one.seconds(),
            one.answers().size(),
            String.join(" ", one.answers()));
      }
    }
    return page.toString();
  }

  /** The page {@code pconn}: the pools of all loops together. */
  static String pools(ManagerFacts facts) {
    Map<String, Integer> all = new TreeMap<>();
    for (LoopFacts loop : facts.loops()) {
      for (Pool pool : loop.pools()) {
        all.merge(pool.place(), pool.connections(), Integer::sum);
      }
    }
    PageLines page = new PageLines().plain("").plain(" Pool 0 Hash Table");
    int number = 0;
    for (Map.Entry<String, Integer> one : all.entrySet()) {
      page.line("\t item %d:\t%s\t%d", number++, one.getKey(), one.getValue());
    }
    return page.toString();
  }

  /** The page {@code objects}. */
  static String objects(ManagerFacts facts) {
    PageLines page = new PageLines();
    for (StoredObject one : facts.objects()) {
      StoredMeta meta = one.meta();
      long validated = seconds(meta.responseTimeMillis());
      long expires = validated - meta.initialAgeSeconds() + meta.lifetimeSeconds();
      page.line("KEY %016X%016X", one.high(), one.low());
      page.line(
          "\tSTORE_OK      IN_MEMORY     %s PING_NONE",
          one.onDisk() ? "SWAPOUT_DONE" : "SWAPOUT_NONE");
      page.line(
          "\tLV:%d LU:%d LM:%d EX:%d",
          validated, NO_TIME, seconds(meta.lastModifiedMillis()), expires);
      page.line("\tGET %s", facts.shownUrl(one.url()));
      page.line("\tobject_sz: %d", one.bytes());
      page.plain("");
    }
    return page.toString();
  }

  private static long seconds(long millis) {
    return millis == StoredMeta.NO_TIME ? NO_TIME : TimeUnit.MILLISECONDS.toSeconds(millis);
  }
}
