package io.loligo.server.exchange.settings.pages;

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
  private final String defaultLanguage;
  private final boolean hasLanguages;

  /** Those of {@code config}. */
  public ErrorPages(ProxyConfig config) {
    denied = config.get(PageDirectives.DENY_INFO);
    pages = config.get(PageDirectives.ERROR_DIRECTORY);
    defaultLanguage = config.get(PageDirectives.ERROR_DEFAULT_LANGUAGE);
    hasLanguages = pages.keySet().stream().anyMatch(name -> name.indexOf('/') > 0);
    stylesheet = config.get(PageDirectives.ERR_PAGE_STYLESHEET).getOrDefault("", "");
  }

  /** The response for a line whose last ACL is {@code acl}; null: the usual one. */
  public @Nullable DenyPage denied(@Nullable String acl) {
    return acl == null || denied.isEmpty() ? null : denied.get(acl.toLowerCase(Locale.ROOT));
  }

  /**
   * A page.
   *
   * @param language its tag; null: not known
   */
  public record Page(String template, @Nullable String language) {}

  /** Whether pages are there in several languages, so that responses depend on Accept-Language. */
  public boolean hasLanguages() {
    return hasLanguages;
  }

  /**
   * The page {@code name}; null: the built-in page is sent.
   *
   * @param accepted the value of Accept-Language; null: none
   */
  public @Nullable Page page(String name, @Nullable String accepted) {
    if (hasLanguages) {
      for (String language : PageLanguages.accepted(accepted)) {
        String template = pages.get(language + '/' + name);
        if (template != null) {
          return new Page(template, language);
        }
      }
      String template = pages.get(defaultLanguage + '/' + name);
      if (template != null) {
        return new Page(template, defaultLanguage);
      }
    }
    String template = pages.get(name);
    return template == null ? null : new Page(template, null);
  }

  /** CSS for pages; may be empty. */
  public String stylesheet() {
    return stylesheet;
  }
}
