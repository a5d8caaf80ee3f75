package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.ProxyConfig;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages and redirections of one configuration. Thread-safe: any thread. */
public final class ErrorPages {
  /** The letters of % codes, and the percent sign itself. */
  public static final String CODES = "aAbBcDeEfFghHiIlLmMoOpPrRsStTuUwWxzZ%";

  private final Map<String, DenyPage> denied;
  private final Map<String, String> pages;
  private final BuiltInPages builtIn = BuiltInPages.all();
  private final String stylesheet;
  private final String policy;
  private final String defaultLanguage;
  private final boolean hasLanguages;
  private final boolean explainsDenials;
  private final ErrorForm form;
  private final @Nullable MissingLanguages missing;

  /** Those of {@code config}. */
  public ErrorPages(ProxyConfig config) {
    denied = config.get(PageDirectives.DENY_INFO);
    pages = config.get(PageDirectives.ERROR_DIRECTORY);
    defaultLanguage = config.get(PageDirectives.ERROR_DEFAULT_LANGUAGE);
    hasLanguages = pages.keySet().stream().anyMatch(name -> name.indexOf('/') > 0);
    stylesheet = config.get(PageDirectives.ERR_PAGE_STYLESHEET).getOrDefault("", "");
    explainsDenials = config.get(PageDirectives.EXPLAIN_DENIALS);
    form = config.get(PageDirectives.ERROR_FORM);
    missing = config.get(PageDirectives.ERROR_LOG_LANGUAGES) ? new MissingLanguages() : null;
    policy = policy(builtIn.css(), style());
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

  /** CSS for pages from files; may be empty. */
  public String stylesheet() {
    return stylesheet;
  }

  /** The built-in pages in the language for a client that sends {@code accepted}, or null. */
  public PageLanguage builtIn(@Nullable String accepted) {
    return builtIn.language(accepted, defaultLanguage);
  }

  /**
   * A client that accepts the languages {@code accepted} gets {@code given}; null: not known, or it
   * accepts any. Logs the first language in vain.
   */
  public void note(@Nullable String accepted, @Nullable String given) {
    if (missing != null && accepted != null && given != null) {
      List<String> tags = PageLanguages.accepted(accepted);
      if (!tags.isEmpty() && !tags.contains(given)) {
        missing.add(tags.get(0));
      }
    }
  }

  /** The CSS of each built-in page. */
  public String builtInStyle() {
    return builtIn.css();
  }

  /** The CSS that is added to built-in pages; may be empty. A browser reads it in this form. */
  public String style() {
    return stylesheet.replace("\r\n", "\n").replace('\r', '\n');
  }

  /** The value of Content-Security-Policy for built-in pages: their style, and nothing else. */
  public String policy() {
    return policy;
  }

  /** Whether a client that sends {@code accept}, or null, gets problem details. */
  public boolean prefersJson(@Nullable String accept) {
    return AcceptedForm.prefersJson(accept, form == ErrorForm.JSON);
  }

  /** {@code loligo_explain_denials}: whether clients see the line that denies. */
  public boolean explainsDenials() {
    return explainsDenials;
  }

  private static String policy(String css, String more) {
    String styles = "'" + hash(css) + "'" + (more.isEmpty() ? "" : " '" + hash(more) + "'");
    String images = more.isEmpty() ? "" : "; img-src * data:; font-src * data:";
    return "default-src 'none'; style-src "
        + styles
        + images
        + "; base-uri 'none'; form-action 'none'";
  }

  private static String hash(String css) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(css.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
