package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.sim.MessageReader.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Everything that was sent and done, and the responses that are valid because of it. */
final class Truth {
  /** {@code max_stale} of all configurations, seconds. */
  static final int MAX_STALE = 15;

  /** Ages are whole seconds, rounded more than once. */
  private static final long SLACK_MILLIS = 2_000;

  /** How much later than its cause a failure may be felt. */
  private static final long ECHO_MILLIS = 1_000;

  /** Longest time for which a request follows an earlier decision. */
  private static final long WAY_NANOS = 30_000_000_000L;

  /** How much later than it was given an answer arrives. */
  private static final long LATE_NANOS = 15_000_000_000L;

  private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

  private final World world;
  private final Faults faults;
  private final List<Emitted> emitted = new ArrayList<>();
  private final Map<Resource, List<Removal>> removals = new HashMap<>();
  private final Set<Resource> disturbed = new HashSet<>();
  private final List<Rules> rules = new ArrayList<>();
  private int fromStore;
  private int queriesFromStore;
  private int askedParents;

  /** A configuration, and whether some are closed to all, until then. */
  private static final class Rules {
    private final SimSetting setting;
    private final boolean closing;
    private long untilNanos = Long.MAX_VALUE;

    Rules(SimSetting setting, boolean closing) {
      this.setting = setting;
      this.closing = closing;
    }
  }

  /**
   * A removal, after which responses must not come back.
   *
   * @param askedNanos older responses are gone
   * @param confirmedNanos for later requests
   * @param soft whether they are only stale
   * @param by the request whose response did it; null: a purge, which not even a power failure
   *     undoes
   */
  private record Removal(long askedNanos, long confirmedNanos, boolean soft, SimRequest by) {
    /** Whether it may be undone when the process is killed. */
    boolean isUndoneByKill() {
      return by != null && !by.invalidated;
    }
  }

  Truth(World world, Faults faults) {
    this.world = world;
    this.faults = faults;
  }

  /** Whether {@code resource} is one that closing rules close. */
  static boolean isClosed(Resource resource) {
    return resource.number % 2 == 1;
  }

  /** Some loop has other rules now. */
  void rulesBegin(SimSetting setting, boolean closing) {
    rules.add(new Rules(setting, closing));
  }

  /** No loop has any of the rules any more that there were so far. */
  void rulesEnd() {
    for (Rules each : rules) {
      each.untilNanos = Math.min(each.untilNanos, world.nanoTime());
    }
  }

  /** Whether such rules were in force at some time since {@code sent}, on some loop. */
  private boolean were(boolean closing, long sent) {
    return rules.stream().anyMatch(each -> each.closing == closing && each.untilNanos >= sent);
  }

  /** Answers to QUERY among them. */
  int queriesFromStore() {
    return queriesFromStore;
  }

  /** Requests sent to parents. */
  int askedParents() {
    return askedParents;
  }

  // ---- the way

  /** Whether a recent routing decision could have used a configuration like that. */
  private boolean could(Predicate<SimSetting> like) {
    long since = world.nanoTime() - WAY_NANOS;
    return rules.stream().anyMatch(each -> each.untilNanos >= since && like.test(each.setting));
  }

  /** Whether the origin may be dialled that has {@code last} as the last number of its address. */
  boolean mayDial(int last) {
    return could(
        setting ->
            (!setting.neverDirect || (setting.asksB && last == 2))
                && (!setting.forbids || last != 3));
  }

  /** A parent is asked for something of {@code host}. */
  void askedParent(String host) {
    askedParents++;
    // rules for addresses say nothing of a name that has none here
    boolean unnamed = faults.unnamedSince(host, world.millis() - WAY_NANOS / 1_000_000);
    boolean may =
        could(
            setting ->
                setting.hasParents
                    && (!setting.asksB || !host.equals("b.test"))
                    && (!setting.forbids || !host.equals("c.test") || unnamed));
    assertThat(may).as("a parent is asked for %s, which no configuration allows", host).isTrue();
  }

  /** The far end of {@code tunnel} is dialled or asked. */
  void tunnelled(Tunneled tunnel) {
    tunnel.check(
        !tunnel.closable || were(false, tunnel.sentNanos), "is opened although nobody may");
  }

  /** An answer to the request for {@code tunnel} has arrived. */
  void tunnelAnswered(Tunneled tunnel) {
    int status = tunnel.status;
    if (status == (tunnel.upgrades ? 101 : 200)) {
      tunnelled(tunnel);
      return;
    }
    boolean closed = tunnel.closable && were(true, tunnel.sentNanos);
    boolean expected =
        status == 403 ? closed : tunnel.refused || (status >= 400 && !faults.isCalm());
    tunnel.check(expected, "is answered %d", status);
  }

  /** Answers that came from the store. */
  int fromStore() {
    return fromStore;
  }

  Emitted emit(Resource resource, int version, String language, int status, int request) {
    Emitted one =
        new Emitted(emitted.size(), world.nanoTime(), resource, version, language, status, request);
    emitted.add(one);
    return one;
  }

  /** Responses before {@code askedNanos} are gone, and this was confirmed now. */
  void purged(Resource resource, long askedNanos, boolean soft) {
    removed(resource, askedNanos, soft, null);
  }

  private void removed(Resource resource, long askedNanos, boolean soft, SimRequest by) {
    removals
        .computeIfAbsent(resource, key -> new ArrayList<>())
        .add(new Removal(askedNanos, world.nanoTime(), soft, by));
  }

  /**
   * The proxy was killed: an invalidated response may come back if disks had not confirmed that
   * they had forgotten it, and the removal was not written yet.
   *
   * @param writtenNanos everything pending until then is written
   */
  void killed(long writtenNanos) {
    undo(removal -> removal.isUndoneByKill() && removal.confirmedNanos() > writtenNanos);
  }

  /** The power failed: an invalidated response may come back if its removal was not on the disk. */
  void powerFailed() {
    undo(removal -> removal.by() != null);
  }

  private void undo(Predicate<Removal> which) {
    removals.values().forEach(all -> all.removeIf(which));
  }

  /** Whether the stored response of {@code resource} is being removed, or was. */
  boolean isDisturbed(Resource resource) {
    return removals.containsKey(resource) || disturbed.contains(resource);
  }

  /** {@code resource} is about to be removed, or its stored response may go early. */
  void disturb(Resource resource) {
    disturbed.add(resource);
  }

  /** A head arrived as the answer to {@code request}. */
  void head(SimRequest request, Message answer) {
    Emitted source = source(answer);
    int status = answer.status();
    if (status == 304) {
      check(
          request.offered != null && request.offered.equals(answer.field("etag")),
          request,
          "is answered 304 for %s",
          answer.field("etag"));
    }
    if (isClosed(request.resource) && (source != null || status == 304)) {
      check(were(false, request.sentNanos), request, "is answered although nobody may ask for it");
    }
    if (source == null) {
      ownAnswer(request, status);
      return;
    }
    Resource resource = request.resource;
    check(source.resource() == resource, request, "is answered with another's");
    check(
        source.language().equals(request.variant()),
        request,
        "is answered in another language: %s",
        source);
    boolean mine = source.request() == request.id;
    if (!mine) {
      fromStore++;
      queriesFromStore += request.isQuery() ? 1 : 0;
      check(!request.method.equals("POST"), request, "is answered with %s", source);
      check(source.status() < 400, request, "is answered with another's error: %s", source);
      check(!resource.isPrivate, request, "is answered with what is private: %s", source);
      fresh(request, source);
    }
    if (answer.field("age") != null && !mine && source.nanos() < request.sentNanos) {
      long atLeast = age(source, request) - SLACK_MILLIS;
      check(
          Long.parseLong(answer.field("age")) * 1000 >= atLeast,
          request,
          "says too low an age: %s of %s",
          answer.field("age"),
          source);
    }
  }

  /** Least age of {@code source}, by the proxy's clock, when it could answer {@code request}. */
  private long age(Emitted source, SimRequest request) {
    long age = (request.sentNanos - source.nanos()) / 1_000_000;
    return Math.max(0, age - world.clockGain(source.nanos(), LATE_NANOS, request.sentNanos));
  }

  private Emitted source(Message answer) {
    String serial = answer.field("x-serial");
    return serial == null ? null : emitted.get(Integer.parseInt(serial));
  }

  private void ownAnswer(SimRequest request, int status) {
    boolean expected =
        status == 304
            || (status == 504 && request.says("only-if-cached"))
            || (status == 403 && isClosed(request.resource) && were(true, request.sentNanos))
            || (status == 416 && request.range != null);
    check(
        expected || (status >= 400 && status != 403 && !faults.isCalm()),
        request,
        "is answered with %d of our own",
        status);
  }

  private void fresh(SimRequest request, Emitted source) {
    long sent = request.sentNanos;
    if (source.nanos() >= sent) {
      return;
    }
    Resource resource = request.resource;
    check(
        !request.says("no-cache") && !request.says("no-store"),
        request,
        "is answered with what was stored: %s",
        source);
    long age = age(source, request);
    long lifetime = Math.max(0, resource.maxAge) * 1000L;
    boolean troubled =
        faults.troubledSince(resource.host, sent / 1_000_000 - ECHO_MILLIS)
            && !resource.mustRevalidate;
    long onError = (resource.ifError >= 0 ? resource.ifError : MAX_STALE) * 1000L;
    long stale = resource.mustRevalidate ? 0 : resource.whileRevalidate * 1000L;
    boolean acceptsStale = false;
    if (request.directive != null && request.directive.startsWith("max-age")) {
      stale = 0;
      lifetime = Math.min(lifetime, request.seconds("max-age") * 1000L);
    } else if (request.seconds("max-stale") >= 0 && !resource.mustRevalidate) {
      acceptsStale = true; // also with 0: it has just become stale (RFC 9111 section 5.2.1.2)
      stale = Math.max(stale, request.seconds("max-stale") * 1000L);
    }
    if (troubled) {
      lifetime = Math.max(0, resource.maxAge) * 1000L;
      stale = Math.max(stale, onError);
    }
    check(
        age < lifetime + stale + SLACK_MILLIS,
        request,
        "is answered with what is %d ms old: %s",
        age,
        source);
    for (Removal removal : removals.getOrDefault(resource, List.of())) {
      boolean applies = sent >= removal.confirmedNanos() && source.nanos() < removal.askedNanos();
      if (applies && removal.soft()) {
        // with a clock that is set back, it is fresh once more until it is as late again
        long gain = world.clockGain(source.nanos(), sent - source.nanos(), sent);
        long since = (sent - removal.askedNanos()) / 1_000_000 - gain;
        check(
            gain > 0 || (since < stale + SLACK_MILLIS && (acceptsStale || stale > 0)),
            request,
            "is answered with what was made stale: %s",
            source);
      } else {
        check(!applies, request, "is answered with what was purged: %s", source);
      }
    }
  }

  /** The answer to {@code request} is over. */
  void over(SimRequest request, Message answer, boolean complete) {
    if (answer == null) {
      return;
    }
    Emitted source = source(answer);
    if (source == null || request.method.equals("HEAD") || answer.status() == 304) {
      return;
    }
    byte[] whole = Origin.content(source);
    byte[] due = whole;
    if (answer.status() == 206) {
      Matcher range = CONTENT_RANGE.matcher(String.valueOf(answer.field("content-range")));
      check(range.matches(), request, "has no Content-Range");
      int from = Integer.parseInt(range.group(1));
      int to = Integer.parseInt(range.group(2)) + 1;
      check(Integer.parseInt(range.group(3)) == whole.length, request, "has another length");
      check(request.range != null && from == request.range[0], request, "asked for no %d", from);
      int last = request.range[1] < 0 ? whole.length : Math.min(request.range[1] + 1, whole.length);
      check(to == last, request, "asked for no %d", to);
      due = Arrays.copyOfRange(whole, from, to);
    }
    byte[] got = answer.content.toByteArray();
    if (complete) {
      check(
          Arrays.equals(got, due),
          request,
          "got %d bytes as all of %d of %s",
          got.length,
          due.length,
          source);
    } else {
      check(
          got.length <= due.length && Arrays.equals(got, Arrays.copyOf(due, got.length)),
          request,
          "got other bytes than those of %s",
          source);
    }
    if (complete && request.method.equals("POST") && answer.status() < 400) {
      removed(request.resource, source.nanos(), false, request);
    }
  }

  private static void check(boolean holds, SimRequest request, String what, Object... of) {
    if (!holds) {
      throw new AssertionError(request + "\n" + String.format(Locale.ROOT, what, of));
    }
  }
}
