package io.loligo.server.exchange.settings;

import io.loligo.core.config.ProxyConfig;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages and redirections of one configuration. Immutable; any thread. */
public final class ErrorPages {
  /** The letters of % codes, and the percent sign itself. */
  public static final String CODES = "aAbBcDeEfFghHiIlLmMoOpPRsStTuUwWxzZ%";

  private final Map<String, DenyPage> denied;
  private final Map<String, String> pages;
  private final String stylesheet;

  /** Those of {@code config}. */
  public ErrorPages(ProxyConfig config) {
    denied = config.get(PageDirectives.DENY_INFO);
    pages = config.get(PageDirectives.ERROR_DIRECTORY);
    stylesheet = config.get(PageDirectives.ERR_PAGE_STYLESHEET).getOrDefault("", "");
  }

  /** The response for a line whose last ACL is {@code acl}; null: the usual one. */
  public @Nullable DenyPage denied(@Nullable String acl) {
    return acl == null || denied.isEmpty() ? null : denied.get(acl.toLowerCase(Locale.ROOT));
  }

  /** The template of the page {@code name}; null: the built-in page is sent. */
  public @Nullable String page(String name) {
    return pages.get(name);
  }

  /** CSS for pages; may be empty. */
  public String stylesheet() {
    return stylesheet;
  }
}
