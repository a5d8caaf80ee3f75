package io.loligo.server.exchange.settings.pages;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Languages that clients asked for in vain: one line in the log for each, up to a limit.
 * Thread-safe: any thread.
 */
final class MissingLanguages {
  /** The most languages that are logged. */
  static final int MOST = 32;

  private static final Logger LOG = LoggerFactory.getLogger(MissingLanguages.class);

  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  /** A client prefers {@code tag}, which is valid, and no page is in its languages. */
  void add(String tag) {
    if (logged.size() < MOST && logged.add(tag)) {
      LOG.info(
          "no error page is in the language {} that a client prefers; a folder {} in"
              + " error_directory adds it, error_log_languages off ends these lines",
          tag,
          tag);
    }
  }
}
