package io.loligo.server.manager;

/** Makes the pages. Thread-safe: any thread but event loops, because the history is decoded. */
public final class ManagerPages {
  private final ManagerFacts facts;

  /** Pages of {@code facts}. */
  public ManagerPages(ManagerFacts facts) {
    this.facts = facts;
  }

  /** The text of a page. */
  public String text(ManagerPage page) {
    return switch (page) {
      case MENU -> StatePages.menu(facts.passwords());
      case INFO -> InfoPage.text(facts);
      case COUNTERS -> CounterPages.counters(facts);
      case AVERAGES_5MIN -> CounterPages.averages(facts, CounterPages.FIVE_MINUTES);
      case AVERAGES_60MIN -> CounterPages.averages(facts, CounterPages.HOUR);
      case UTILIZATION -> CounterPages.utilization(facts);
      case SERVICE_TIMES -> CounterPages.serviceTimes(facts);
      case HISTOGRAMS -> CounterPages.histograms(facts);
      case MEM -> StatePages.memory(facts);
      case ACTIVE_REQUESTS -> LoopPages.activeRequests(facts);
      case CLIENT_LIST -> LoopPages.clients(facts);
      case SERVER_LIST -> StatePages.parents(facts);
      case OBJECTS -> LoopPages.objects(facts);
      case STOREDIR -> StatePages.storedir(facts);
      case IPCACHE -> LoopPages.names(facts);
      case FQDNCACHE -> LoopPages.addresses(facts);
      case PCONN -> LoopPages.pools(facts);
      case CONFIG -> StatePages.config(facts);
    };
  }
}
