package io.loligo.store.keys;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.NoVarySearch;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.range.Slice;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keys other than that of the URL: the keys of responses to QUERY include the content of the
 * request (RFC 10008 section 2.7), and the keys of responses with No-Vary-Search leave out
 * irrelevant parts of the query. Thread-safe: any thread; memory is bounded.
 *
 * <p>Such a key begins with the relevant part of the URL and continues after a blank, which no URL
 * has: no request by URL alone can have it. It is the same in every process, so that responses on
 * disk are found after a restart. A removal by URL does not know these keys: their responses form a
 * group of the URL without its query ({@link io.loligo.core.caching.CacheGroups#ofAlternatives}),
 * which the removal purges if there may be any.
 *
 * <p>A slice of a large response has such a key too. The rule of No-Vary-Search for a path is that
 * of its latest response. A response under a key that leaves something out has this very rule; a
 * response with another rule is not stored, and the rule of the path rests for {@link
 * #REST_MILLIS}. See ADR 7.
 */
public final class AlternativeKeys {
  /**
   * How long a path whose responses disagree is keyed by its whole query, and how long a URL that
   * cannot be had in slices is not sliced, in milliseconds.
   */
  static final long REST_MILLIS = 300_000;

  private static final int PATHS = 1 << 14;
  private static final int RULES = 1 << 12;

  private static final int ASKED_FOR = 1;
  private static final int LEFT = 2;
  private static final long ALWAYS = -1;

  /** A URL that is not sliced for a while. */
  private record Unsliced(long high, long low, long untilMillis) {}

  /** A path's rule; null: it rests. */
  private record Known(long high, long low, @Nullable NoVarySearch rule, long untilMillis) {}

  /** {@link #ASKED_FOR} and {@link #LEFT} for some paths, by a hash of them. */
  private final AtomicIntegerArray paths = new AtomicIntegerArray(PATHS);

  private final AtomicReferenceArray<Known> rules = new AtomicReferenceArray<>(RULES);
  private final AtomicReferenceArray<Unsliced> unsliced = new AtomicReferenceArray<>(RULES);
  private volatile boolean any;

  /** Whether any was requested; a path of which none was is as the process found it. */
  private volatile boolean anyAskedFor;

  /** How many sets of directories have not yet told the keys that earlier processes left. */
  private final AtomicInteger untold = new AtomicInteger();

  private volatile boolean anyLeft;

  /** Whether they left a response of an unknown path. */
  private volatile boolean leftAnywhere;

  /** Counted before a removal checks whether there is anything under other keys. */
  private final AtomicLong removals = new AtomicLong();

  /**
   * Begins without requests.
   *
   * @param mayBeLeft whether earlier processes may have stored responses under such keys, which
   *     {@link #left} and {@link #allAreTold} will report
   */
  public AlternativeKeys(boolean mayBeLeft) {
    if (mayBeLeft) {
      someAreUntold();
    }
  }

  /**
   * Earlier processes left, or may have left, a response under another key of a URL than its own.
   *
   * @param pathHash of the URL; empty: any
   */
  public void left(OptionalInt pathHash) {
    anyLeft = true;
    if (pathHash.isPresent()) {
      mark(slot(pathHash.getAsInt()), LEFT);
    } else {
      leftAnywhere = true;
    }
  }

  /** Further directories will report responses by {@link #left}, and then {@link #allAreTold}. */
  public void someAreUntold() {
    untold.incrementAndGet();
  }

  /** {@link #left} has reported everything in one set of directories. */
  public void allAreTold() {
    untold.updateAndGet(sets -> Math.max(0, sets - 1));
  }

  /** Whether this process requested anything under another key of the URL of {@code key}. */
  public boolean askedFor(CacheKey key) {
    return (paths.get(slot(key.pathHash())) & ASKED_FOR) != 0;
  }

  /**
   * Whether anything may be stored under other keys of the URL of {@code key}, whatever its query.
   * Purges of responses left by earlier processes are not remembered: paths share their places
   * here, and a purge may fail and be repeated.
   */
  public boolean mayBeAny(CacheKey key) {
    return untold.get() > 0 || isKnownOf(key);
  }

  /** The same, if that is known and stays so. */
  private boolean isKnownOf(CacheKey key) {
    return leftAnywhere || paths.get(slot(key.pathHash())) != 0;
  }

  /** Whether anything may be stored under keys other than those of URLs. */
  public boolean mayBeAny() {
    return untold.get() > 0 || anyLeft || anyAskedFor;
  }

  /** A removal is about to begin: call it before {@link #mayBeAny}. */
  public void removing() {
    removals.incrementAndGet();
  }

  /** Before the request to the origin: a purge in the meantime will not overlook the response. */
  private void askFor(KeyProbe url) {
    int slot = slot(url.pathHash());
    if ((paths.get(slot) & ASKED_FOR) == 0) {
      anyAskedFor = true;
      mark(slot, ASKED_FOR);
    }
  }

  private void mark(int slot, int mark) {
    paths.getAndUpdate(slot, marks -> marks | mark);
  }

  private static int slot(int pathHash) {
    return pathHash & (PATHS - 1);
  }

  // ---- QUERY

  /**
   * Keys {@code target}, of a QUERY, by its content too.
   *
   * @param content all of it; not to be used again
   * @param probe for scratch; sealed afterwards with the key
   */
  public void keyByContent(RequestTarget target, ContentDigest content, KeyProbe probe) {
    target.keyedBy(null, null, target.pathEnd());
    askFor(CacheKeys.seal(probe, target));
    target.keyedBy(" QUERY " + content.end(), null, target.pathEnd());
    CacheKeys.seal(probe, target);
  }

  // ---- slices

  /**
   * Keys {@code target}, of a GET, by a slice of its content too.
   *
   * @param probe for scratch; not sealed afterwards
   */
  public void keyBySlice(RequestTarget target, Slice slice, KeyProbe probe) {
    target.keyedBy(null, null, target.pathEnd());
    askFor(CacheKeys.seal(probe, target));
    target.keyedBy(slice.keySuffix(), slice, target.pathEnd());
  }

  /**
   * The response for {@code url} cannot be had in slices: slicing is not tried again for a while.
   */
  public void noteUnsliced(KeyProbe url, long nowMillis) {
    unsliced.set(place(url), new Unsliced(url.high(), url.low(), nowMillis + REST_MILLIS));
  }

  /** Whether that was noted for {@code url} lately. */
  public boolean isUnsliced(KeyProbe url, long nowMillis) {
    Unsliced noted = unsliced.get(place(url));
    return noted != null
        && noted.high() == url.high()
        && noted.low() == url.low()
        && nowMillis < noted.untilMillis();
  }

  // ---- No-Vary-Search

  /**
   * Keys {@code target}, of a GET or HEAD, without the irrelevant parts of its query, if a rule is
   * known. No allocation if no rule is known at all.
   *
   * @param probe for scratch
   */
  public void keyByRule(RequestTarget target, KeyProbe probe) {
    if (!any) {
      return;
    }
    Known known = rules.get(place(CacheKeys.sealPath(probe, target)));
    if (isOf(known, probe) && known.rule() != null) {
      NoVarySearch rule = known.rule();
      askFor(probe);
      target.keyedBy(" NVS " + rule.digest(target), rule, CacheKeys.pathEnd(target));
    }
  }

  /**
   * A response for {@code target} is being stored, or was validated. Learns its rule, and returns
   * whether it may be stored under the key of the target.
   *
   * @param probe for scratch; not sealed afterwards
   */
  public boolean fits(RequestTarget target, Fields response, KeyProbe probe, long nowMillis) {
    if (target.keyRule() instanceof Slice) {
      return true; // its key has the whole URL
    }
    NoVarySearch rule = NoVarySearch.of(response);
    Object expected = target.keyRule();
    boolean fits = expected == null || expected.equals(rule);
    if (fits && rule == null) {
      return true;
    }
    int place = place(CacheKeys.sealPath(probe, target));
    Known known = rules.get(place);
    boolean rests = isOf(known, probe) && known.rule() == null && nowMillis < known.untilMillis();
    if (!rests) {
      rules.set(
          place, new Known(probe.high(), probe.low(), fits ? rule : null, nowMillis + REST_MILLIS));
      any = true;
    }
    return fits;
  }

  /**
   * A number for {@link #learnt}, to be asked for before the request to the origin; {@code url} is
   * the key of a URL.
   */
  public long asOf(CacheKey url) {
    return isKnownOf(url) ? ALWAYS : removals.get();
  }

  /**
   * The key by the rule that {@code response} has just taught ({@link #fits}): requests that differ
   * in irrelevant parts find it at once. Null if there is no rule, if the path has another rule by
   * now, or if a removal since {@link #asOf} gave {@code number} may cover this response and did
   * not look for it under such a key.
   *
   * @param target keyed by its URL, and so afterwards
   * @param probe for scratch
   */
  public @Nullable CacheKey learnt(
      RequestTarget target, Fields response, KeyProbe probe, long number) {
    NoVarySearch rule = target.keySuffix() == null ? NoVarySearch.of(response) : null;
    if (rule == null) {
      return null;
    }
    keyByRule(target, probe);
    boolean found = rule.equals(target.keyRule()) && (number == ALWAYS || number == removals.get());
    CacheKey key = found ? CacheKeys.seal(probe, target).toKey() : null;
    target.keyedBy(null, null, 0);
    return key;
  }

  private static boolean isOf(Known known, KeyProbe path) {
    return known != null && known.high() == path.high() && known.low() == path.low();
  }

  private static int place(KeyProbe path) {
    return (int) path.high() & (RULES - 1);
  }
}
