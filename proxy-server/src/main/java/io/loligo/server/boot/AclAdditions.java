package io.loligo.server.boot;

import io.loligo.core.acl.AddedHost;
import io.loligo.core.acl.AddedHosts;
import io.loligo.core.config.FileDirectives;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hosts that operators add to ACLs of type {@code loligo_added} at the admin port. Each
 * expires; a reload keeps them, and a restart does not. Thread-safe: any thread.
 */
final class AclAdditions implements Part {
  /** The most hosts in one ACL: each request is compared with all of them. */
  static final int MOST = 256;

  /** A week: a lasting rule belongs into the configuration. */
  static final int LONGEST_MINUTES = 10_080;

  private static final String PATH = "/additions";
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final long LOOK_SECONDS = 1;

  private final Maintenance maintenance;
  private final TimeSource time;

  /** By name of the ACL in lower case. Guarded by {@code this}. */
  private final Map<String, List<AddedHost>> hosts = new HashMap<>();

  /** Where the rules in force read them. Guarded by {@code this}. */
  private Map<String, AddedHosts> inForce;

  /**
   * Without any host.
   *
   * @param config in force
   * @param maintenance removes hosts that have expired
   */
  AclAdditions(ProxyConfig config, Maintenance maintenance, TimeSource time) {
    this.maintenance = maintenance;
    this.time = time;
    inForce = config.get(FileDirectives.ACL).added();
  }

  @Override
  public void open() {
    maintenance.every(LOOK_SECONDS, this::expire);
  }

  /** Tells the ACLs of {@code next}, which is not in force yet, the hosts so far. */
  synchronized void prepare(ProxyConfig next) {
    next.get(FileDirectives.ACL)
        .added()
        .forEach((acl, taker) -> taker.set(hosts.getOrDefault(acl, List.of())));
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    inForce = now.get(FileDirectives.ACL).added();
    List.copyOf(hosts.keySet()).stream()
        .filter(acl -> !inForce.containsKey(acl))
        .forEach(
            acl -> {
              hosts.remove(acl);
              AUDIT.info("additions to acl {}: removed, a reload has removed the ACL", acl);
            });
    inForce.keySet().forEach(this::tell);
  }

  private void tell(String acl) {
    AddedHosts taker = inForce.get(acl);
    if (taker != null) {
      taker.set(hosts.getOrDefault(acl, List.of()));
    }
  }

  /** Removes hosts that have expired: they no longer match anyway. */
  synchronized void expire() {
    long now = time.millis();
    hosts.forEach(
        (acl, added) -> {
          boolean any = false;
          for (Iterator<AddedHost> each = added.iterator(); each.hasNext(); ) {
            AddedHost host = each.next();
            if (host.untilMillis() <= now) {
              each.remove();
              any = true;
              AUDIT.info("additions to acl {}: {} has expired", acl, host.text());
            }
          }
          if (any) {
            tell(acl);
          }
        });
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.addJson(PATH, this::json);
    pages.addChange(PATH, this::change);
  }

  private AdminReply change(boolean deletes, Map<String, List<String>> given, String client) {
    try {
      return deletes ? remove(given, client) : add(given, client);
    } catch (IllegalArgumentException e) {
      AUDIT.warn(
          "admin additions from {}: refused, {}; next: correct the request",
          client,
          loggable(e.getMessage()));
      return AdminReply.text(400, String.valueOf(e.getMessage()));
    }
  }

  private synchronized AdminReply add(Map<String, List<String>> given, String client) {
    String acl = acl(given);
    int minutes = minutes(one(given, "minutes"));
    long until = time.millis() + TimeUnit.MINUTES.toMillis(minutes);
    AddedHost host = AddedHost.of(one(given, "host"), until);
    List<AddedHost> added = hosts.computeIfAbsent(acl, none -> new ArrayList<>());
    added.removeIf(host::isSamePlace);
    if (added.size() >= MOST) {
      throw new IllegalArgumentException(
          "acl " + acl + " has " + MOST + " hosts (expected: fewer)");
    }
    added.add(host);
    tell(acl);
    AUDIT.info(
        "admin additions from {}: {} added to acl {} until {}",
        client,
        host.text(),
        acl,
        Instant.ofEpochMilli(until));
    JsonWriter json = JsonWriter.compact().beginObject().member("acl", acl);
    return AdminReply.json(200, members(json, host).endObject().toString());
  }

  private synchronized AdminReply remove(Map<String, List<String>> given, String client) {
    String acl = acl(given);
    AddedHost host = AddedHost.of(one(given, "host"), 0);
    boolean removed = hosts.getOrDefault(acl, List.of()).removeIf(host::isSamePlace);
    tell(acl);
    AUDIT.info(
        "admin additions from {}: {} {} acl {}",
        client,
        host.text(),
        removed ? "removed from" : "was not in",
        acl);
    return removed
        ? AdminReply.json(200, "{\"removed\":true}")
        : AdminReply.text(404, host.text() + " is not in acl " + acl);
  }

  private String acl(Map<String, List<String>> given) {
    String acl = one(given, "acl").toLowerCase(Locale.ROOT);
    if (!inForce.containsKey(acl)) {
      String known = inForce.isEmpty() ? "there is none" : String.join(", ", inForce.keySet());
      throw new IllegalArgumentException(
          "acl: " + acl + " (expected: an ACL of type loligo_added: " + known + ")");
    }
    return acl;
  }

  private static int minutes(String text) {
    int minutes = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    if (minutes < 1 || minutes > LONGEST_MINUTES) {
      throw new IllegalArgumentException(
          "minutes: " + text + " (expected: 1-" + LONGEST_MINUTES + ")");
    }
    return minutes;
  }

  private static String one(Map<String, List<String>> given, String name) {
    List<String> values = given.getOrDefault(name, List.of());
    if (values.size() != 1 || values.get(0).isEmpty()) {
      throw new IllegalArgumentException(name + ": (expected: one value)");
    }
    return values.get(0);
  }

  private static String loggable(@Nullable String text) {
    return String.valueOf(text).replaceAll("[^\\x20-\\x7e]", "_");
  }

  private synchronized String json() {
    JsonWriter json = JsonWriter.spaced().beginArray();
    inForce.keySet().stream()
        .sorted()
        .forEach(
            acl -> {
              json.row().beginObject().member("acl", acl).name("hosts").beginArray();
              hosts.getOrDefault(acl, List.of()).stream()
                  .sorted(Comparator.comparingLong(AddedHost::untilMillis))
                  .forEach(host -> members(json.beginObject(), host).endObject());
              json.endArray().endObject();
            });
    return json.endRows().endArray().toString();
  }

  private JsonWriter members(JsonWriter json, AddedHost host) {
    return json.member("host", host.text())
        .member("until", Instant.ofEpochMilli(host.untilMillis()).toString())
        .member("secondsLeft", Math.max(0, (host.untilMillis() - time.millis()) / 1000));
  }
}
