package io.loligo.server.manager;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The pages, with Squid's names. Immutable. */
public enum ManagerPage {
  MENU("menu", "These pages"),
  INFO("info", "The process at a glance"),
  COUNTERS("counters", "Counters since the start"),
  AVERAGES_5MIN("5min", "Averages of 5 minutes"),
  AVERAGES_60MIN("60min", "Averages of 60 minutes"),
  UTILIZATION("utilization", "Averages of 5 minutes to 3 days"),
  SERVICE_TIMES("service_times", "Percentiles of response times"),
  HISTOGRAMS("histograms", "Distribution of response times"),
  MEM("mem", "Memory by its owner"),
  ACTIVE_REQUESTS("active_requests", "Requests in progress"),
  CLIENT_LIST("client_list", "Clients"),
  SERVER_LIST("server_list", "Parents"),
  OBJECTS("objects", "Stored responses"),
  STOREDIR("storedir", "Directories of the store"),
  IPCACHE("ipcache", "Addresses of names"),
  FQDNCACHE("fqdncache", "Names of addresses"),
  PCONN("pconn", "Kept connections to servers"),
  CONFIG("config", "Configuration in force");

  private static final Map<String, ManagerPage> BY_WORD =
      Arrays.stream(values()).collect(Collectors.toMap(ManagerPage::word, Function.identity()));

  private final String word;
  private final String title;

  ManagerPage(String word, String title) {
    this.word = word;
    this.title = title;
  }

  /** Its name in URLs and in {@code cachemgr_passwd}. */
  public String word() {
    return word;
  }

  /** For the menu. */
  String title() {
    return title;
  }

  /** Whether nobody gets it unless {@code cachemgr_passwd} names it, as in Squid. */
  boolean needsPassword() {
    return this == CONFIG;
  }

  /** The page with this name; null: there is none. The empty name is that of the menu. */
  public static @Nullable ManagerPage named(String word) {
    return word.isEmpty() ? MENU : BY_WORD.get(word.toLowerCase(Locale.ROOT));
  }
}
