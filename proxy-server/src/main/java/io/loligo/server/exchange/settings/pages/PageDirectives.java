package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.Map;

/** Directives about the responses that the proxy writes itself. Immutable. */
public final class PageDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Error pages");

  /** {@code deny_info}: responses in the place of a 403. */
  static final Setting<Map<String, DenyPage>> DENY_INFO =
      FEATURE
          .lines("deny_info", "TCP_RESET|[3xx:]URL|[4xx|5xx:]PAGE ACL...", DenyInfoLines::new)
          .difference("facts in a URL are encoded once, also in %R")
          .text(
              "The response to a request that a line denies whose last ACL is one of these: a"
                  + " reset, a redirection, or a page of error_directory. % codes in the URL stand"
                  + " for facts of the request, such as %u for its URL and %i for the address of"
                  + " the client. Without 3xx, the status is 302, and 307 for methods other than"
                  + " GET and HEAD. A request for a login keeps its status.");

  /** {@code error_directory}: pages by name. */
  static final Setting<Map<String, String>> ERROR_DIRECTORY =
      FEATURE
          .lines("error_directory", "PATH", reading -> new PageFileLines(reading, true))
          .difference(
              "a page that is missing is the built-in one; %R has no fields; languages are chosen"
                  + " among its folders")
          .text(
              "A folder of error pages such as ERR_ACCESS_DENIED, or of folders of languages with"
                  + " such pages, such as de or pt-br. Accept-Language chooses the language, then"
                  + " error_default_language, then the pages in the folder itself. They are read at"
                  + " the start and at a reload. % codes in them stand for facts of the request and"
                  + " are escaped.");

  /** {@code error_default_language}: the language for other clients; empty: none. */
  static final Setting<String> ERROR_DEFAULT_LANGUAGE =
      FEATURE
          .lines("error_default_language", "LANGUAGE", DefaultLanguageLines::new)
          .difference(
              "error_directory names further translations; weights of Accept-Language count")
          .text(
              "The language of error pages for clients whose languages are not there: the name of"
                  + " a folder of error_directory, or a language of the built-in pages: en, de, es"
                  + " or fr.");

  /** {@code error_log_languages}: whether languages without pages are logged. */
  static final Setting<Boolean> ERROR_LOG_LANGUAGES =
      FEATURE
          .flag("error_log_languages", "on")
          .difference("one line for each language, up to 32 after a start or a reload")
          .text("on: a language that a client prefers and no error page has is logged.");

  /** {@code err_page_stylesheet}: CSS for error pages. */
  static final Setting<Map<String, String>> ERR_PAGE_STYLESHEET =
      FEATURE
          .lines("err_page_stylesheet", "PATH", reading -> new PageFileLines(reading, false))
          .text(
              "A file of CSS for error pages: %l in a page of error_directory. A built-in page has"
                  + " it after its own style.");

  /** {@code loligo_explain_denials}: whether clients see the line that denies. */
  static final Setting<Boolean> EXPLAIN_DENIALS =
      FEATURE
          .flag("loligo_explain_denials", "off")
          .text(
              "on: the error for a denied request names the line of the rules that denies, with its"
                  + " file and number. Use it only where clients may know the configuration.");

  /** {@code loligo_error_form}. */
  static final Setting<ErrorForm> ERROR_FORM =
      FEATURE
          .choice("loligo_error_form", ErrorForm.HTML, ErrorForm.class)
          .text(
              "The form of an error for a client whose Accept prefers neither HTML nor JSON, such"
                  + " as that of curl, and for one without that field: html: a page; json: problem"
                  + " details (RFC 9457).");

  private PageDirectives() {}
}
