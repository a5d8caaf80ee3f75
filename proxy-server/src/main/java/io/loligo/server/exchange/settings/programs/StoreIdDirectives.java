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

/** Directives about the program that names stored responses. Immutable. */
public final class StoreIdDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Store ids");

  /** {@code store_id_program}: program and arguments; empty: none. */
  public static final Setting<List<String>> STORE_ID_PROGRAM =
      FEATURE
          .lines("store_id_program", "PROGRAM [ARGUMENT...]", ProgramLines::new)
          .alias("storeurl_rewrite_program")
          .difference(
              "it is not asked about CONNECT; a PURGE without its answer fails; the response to an"
                  + " unsafe request such as POST also removes the response under the id; an id"
                  + " with control bytes or of more than 8192 bytes does not count")
          .text(
              "A helper program that lets many URLs share one stored response. It is asked about"
                  + " each request after url_rewrite_program, PURGE included. It reads one line for"
                  + " each: the URL and store_id_extras. OK store-id=ID: the response is looked up"
                  + " and stored under ID in place of the URL; the origin still gets the URL. ERR"
                  + " and BH: the URL counts, and so it does without an answer in"
                  + " loligo_helper_timeout. refresh_pattern compares the ID. No shell reads the"
                  + " command.");

  /** {@code store_id_children}. */
  public static final Setting<HelperChildren> STORE_ID_CHILDREN =
      FEATURE
          .lines("store_id_children", ChildrenLines.FORM, reading -> new ChildrenLines(reading, 20))
          .alias("storeurl_rewrite_children")
          .defaultText("20 startup=0 idle=1 concurrency=0")
          .difference(
              "on-persistent-overload=die does not end the process: requests go on under their"
                  + " URLs; more than 10,000 questions never wait")
          .text(
              "How many processes of store_id_program run at once; see url_rewrite_children."
                  + " queue-size is 0 with store_id_bypass.");

  /** {@code store_id_access}: which requests the program is asked about. Default: all. */
  public static final Setting<AclList> STORE_ID_ACCESS =
      FEATURE
          .rules("store_id_access", "allow all", RuleScope.REQUEST)
          .alias("storeurl_rewrite_access")
          .text("Which requests store_id_program is asked about.");

  /** {@code store_id_bypass}. */
  public static final Setting<Boolean> STORE_ID_BYPASS =
      FEATURE
          .flag("store_id_bypass", "on")
          .alias("storeurl_rewrite_bypass")
          .difference("a PURGE waits in any case")
          .text(
              "Whether a request goes on at once, under its URL, if all processes of"
                  + " store_id_program are busy. off: it waits for one of them.");

  /** {@code store_id_extras}. */
  public static final Setting<LogFormat> STORE_ID_EXTRAS =
      FEATURE
          .lines("store_id_extras", "\"FORMAT\"", ExtrasLines::new)
          .defaultText('"' + ExtrasLines.USUAL + '"')
          .text("What store_id_program reads behind the URL, in codes of logformat.");

  private StoreIdDirectives() {}
}
