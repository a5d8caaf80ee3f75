package io.loligo.server.exchange.settings.programs;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.ChildrenLines;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.ProgramLines;
import java.util.List;

/** Directives about the program that rewrites and redirects URLs. Immutable. */
public final class RewriteDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Rewriting of URLs");

  /** {@code url_rewrite_program}: program and arguments; empty: none. */
  public static final Setting<List<String>> URL_REWRITE_PROGRAM =
      FEATURE
          .lines("url_rewrite_program", "PROGRAM [ARGUMENT...]", ProgramLines::new)
          .alias("redirect_program")
          .difference(
              "a program that ends or gives no answer in time fails the request, unless"
                  + " url_rewrite_bypass is on")
          .text(
              "A helper program that redirects requests or replaces their URLs, such as"
                  + " squidGuard. It is asked about each request that http_access allows. It reads"
                  + " one line for each: the URL and url_rewrite_extras. OK status=30N url=URL"
                  + " redirects the client. OK rewrite-url=URL: the response to URL is sent, and"
                  + " stored under URL. OK, ERR and BH leave the request unchanged. Lines of old"
                  + " programs count too: URL, 30N:URL, and an empty line. No shell reads the"
                  + " command.");

  /** {@code url_rewrite_children}. */
  public static final Setting<HelperChildren> URL_REWRITE_CHILDREN =
      FEATURE
          .lines(
              "url_rewrite_children", ChildrenLines.FORM, reading -> new ChildrenLines(reading, 20))
          .alias("redirect_children")
          .defaultText("20 startup=0 idle=1 concurrency=0")
          .difference(
              "on-persistent-overload=die does not end the process: requests fail; more than"
                  + " 10,000 questions never wait")
          .text(
              "How many processes of url_rewrite_program run at once. startup: from the start on."
                  + " idle: started at once when all are busy. concurrency: questions that one"
                  + " process gets before it answers, each with a number before it; 0: one question"
                  + " at a time, without a number. queue-size: questions that may wait; twice the"
                  + " number of processes, or 0 with url_rewrite_bypass. More may wait for three"
                  + " minutes; then on-persistent-overload=ERR leaves further requests unchanged,"
                  + " and die, the default, fails them.");

  /** {@code url_rewrite_access}: which requests the program is asked about. Default: all. */
  public static final Setting<AclList> URL_REWRITE_ACCESS =
      FEATURE
          .rules("url_rewrite_access", "allow all", RuleScope.REQUEST)
          .alias("redirector_access")
          .text("Which requests url_rewrite_program is asked about.");

  /** {@code url_rewrite_bypass}. */
  public static final Setting<Boolean> URL_REWRITE_BYPASS =
      FEATURE
          .flag("url_rewrite_bypass", "off")
          .alias("redirector_bypass")
          .difference("it also holds for a program that ends, cannot be started or gives no answer")
          .text(
              "Whether a request continues unchanged if url_rewrite_program cannot answer: all"
                  + " processes are busy, or it is broken. off: such a request fails. Leave it off"
                  + " if the program decides about access.");

  /** {@code url_rewrite_extras}. */
  public static final Setting<LogFormat> URL_REWRITE_EXTRAS =
      FEATURE
          .lines("url_rewrite_extras", "\"FORMAT\"", ExtrasLines::new)
          .defaultText('"' + ExtrasLines.USUAL + '"')
          .text("What url_rewrite_program reads behind the URL, in codes of logformat.");

  /** {@code url_rewrite_timeout}. */
  public static final Setting<RewriteTimeout> URL_REWRITE_TIMEOUT =
      FEATURE
          .lines("url_rewrite_timeout", RewriteTimeout.FORM, RewriteTimeout.Lines::new)
          .difference("without a line, loligo_helper_timeout holds; the wait for a process counts")
          .text(
              "How long a request waits for url_rewrite_program, and what follows. fail: the client"
                  + " gets an error. bypass: the request continues unchanged. retry: the program is"
                  + " asked again, twice at most. use_configured_response: ANSWER holds, as if the"
                  + " program had written it.");

  /** {@code url_rewrite_host_header}. */
  public static final Setting<Boolean> URL_REWRITE_HOST_HEADER =
      FEATURE
          .flag("url_rewrite_host_header", "on")
          .alias("redirect_rewrites_host_header")
          .text(
              "Whether the Host field of a rewritten request has the host of the new URL. off: the"
                  + " client's is sent, but in HTTP/2 the new one. The response is stored under the"
                  + " new URL in both cases.");

  private RewriteDirectives() {}
}
