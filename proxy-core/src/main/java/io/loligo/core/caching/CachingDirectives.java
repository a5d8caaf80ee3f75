package io.loligo.core.caching;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;

/** Directives that decide which responses are stored and for how long. */
public final class CachingDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Caching");

  /** {@code refresh_pattern}: heuristics by URL. */
  public static final Setting<List<RefreshPattern>> REFRESH_PATTERN =
      FEATURE
          .lines("refresh_pattern", "[-i] REGEX MIN PERCENT% MAX [OPTION...]", RefreshLines::new)
          .text(
              "How long a response without explicit expiry is fresh, in minutes and as a percentage"
                  + " of its age when it was received. The first expression found in the URL"
                  + " decides. A response with such an assumed lifetime never replays Set-Cookie,"
                  + " see loligo_stored_set_cookie. Options: override-expire (MIN holds also where"
                  + " the response names an earlier expiry), override-lastmod (MIN holds also where"
                  + " PERCENT of its age is less), reload-into-ims (a reload of a client becomes a"
                  + " validation), ignore-reload (it is answered from the store), ignore-no-store"
                  + " and ignore-private (such responses are stored), refresh-ims (a client's"
                  + " If-Modified-Since is asked of the origin), store-stale (a response that has"
                  + " expired already is stored), max-stale=SECONDS (see max_stale).");

  /** {@code maximum_object_size}: bytes; -1: no limit. */
  public static final Setting<Long> MAXIMUM_OBJECT_SIZE =
      FEATURE
          .bytes("maximum_object_size", "4 MB")
          .noLimit()
          .text(
              "Larger responses are not stored, except in a cache_dir whose own max-size"
                  + " allows it. The line may stand anywhere in the file.");

  /** {@code minimum_object_size}: bytes. */
  public static final Setting<Long> MINIMUM_OBJECT_SIZE =
      FEATURE
          .bytes("minimum_object_size", "0 KB")
          .raised()
          .text("Smaller responses are not stored.");

  /** {@code negative_ttl}: seconds. */
  public static final Setting<Long> NEGATIVE_TTL =
      FEATURE
          .seconds("negative_ttl", "0 seconds")
          .text("How long error responses without explicit expiry are stored.");

  /** {@code minimum_expiry_time}: seconds. */
  public static final Setting<Long> MINIMUM_EXPIRY_TIME =
      FEATURE
          .seconds("minimum_expiry_time", "0 seconds")
          .squid(
              "60 seconds",
              "a response that several clients wait for is worth storing, however short"
                  + " its lifetime")
          .text("A response without a validator that expires sooner than this is not" + " stored.");

  /** {@code max_stale}: seconds. */
  public static final Setting<Long> MAX_STALE =
      FEATURE
          .seconds("max_stale", "1 week")
          .text(
              "How long after its expiry a stored response may still be served stale, to"
                  + " a client that accepts it (max-stale), or because the origin fails, with or"
                  + " without stale-if-error. max-stale= of a refresh_pattern takes precedence.");

  /** {@code offline_mode}: whether nothing is validated. */
  public static final Setting<Boolean> OFFLINE_MODE =
      FEATURE
          .flag("offline_mode", "off")
          .text("on: stored responses are served without validation.");

  /** {@code reload_into_ims}: whether a reload becomes a validation. */
  public static final Setting<Boolean> RELOAD_INTO_IMS =
      FEATURE
          .flag("reload_into_ims", "off")
          .difference("always so where the stored response has a validator, as HTTP allows")
          .text("on: a client's reload becomes a validation.");

  /** {@code refresh_all_ims}: whether a conditional request always goes to the origin. */
  public static final Setting<Boolean> REFRESH_ALL_IMS =
      FEATURE
          .flag("refresh_all_ims", "off")
          .text("on: a client's conditional request always goes to the origin.");

  private CachingDirectives() {}
}
