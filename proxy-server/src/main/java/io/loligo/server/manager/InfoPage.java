package io.loligo.server.manager;

import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.store.StoreStats;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The page {@code info}. Stateless. */
final class InfoPage {
  private static final List<String> NEVER =
      List.of(
          "Number of queued ICP replies",
          "Number of HTCP messages received",
          "Number of HTCP messages sent");

  private InfoPage() {}

  static String text(ManagerFacts facts) {
    PageLines page = new PageLines();
    PeriodCounts start = PeriodCounts.sinceStart(facts);
    @Nullable PeriodCounts last5 = CounterPages.tally(facts, CounterPages.FIVE_MINUTES);
    @Nullable PeriodCounts last60 = CounterPages.tally(facts, CounterPages.HOUR);
    process(page, facts);
    connections(page, facts, start, last5);
    cache(page, facts, last5, last60);
    times(page, last5, last60);
    resources(page, facts, last5, last60);
    descriptors(page, facts.process().descriptors());
    structures(page, facts);
    return page.toString();
  }

  private static void process(PageLines page, ManagerFacts facts) {
    ProcessFacts process = facts.process();
    page.line("Squid Object Cache: Version %s", process.version());
    page.line("Build Info: Loligo %s", process.version());
    page.plain("Service Name: loligo");
    page.line("Start Time:\t%s", PageLines.date(process.startMillis()));
    page.line("Current Time:\t%s", PageLines.date(facts.nowMillis()));
  }

  private static void connections(
      PageLines page, ManagerFacts facts, PeriodCounts start, @Nullable PeriodCounts last5) {
    long requests = SquidCounters.requests(start);
    double minutes = Math.max(1, facts.nowMillis() - facts.process().startMillis()) / 60_000.0;
    page.plain("Connection information for loligo:");
    page.line("\tNumber of clients accessing cache:\t%d", facts.process().clientAddresses());
    page.line("\tNumber of HTTP requests received:\t%d", requests);
    long icpReceived = start.of(IcpCount.QUERIES_RECEIVED) + start.of(IcpCount.REPLIES_RECEIVED);
    long icpSent = start.of(IcpCount.QUERIES_SENT) + start.of(IcpCount.REPLIES_SENT);
    page.line("\tNumber of ICP messages received:\t%d", icpReceived);
    page.line("\tNumber of ICP messages sent:\t%d", icpSent);
    NEVER.forEach(name -> page.line("\t%s:\t0", name));
    page.line("\tRequest failure ratio:\t%5.2f", share(last5, InfoPage::failures) / 100);
    page.line("\tAverage HTTP requests per minute since start:\t%.1f", requests / minutes);
    page.line(
        "\tAverage ICP messages per minute since start:\t%.1f", (icpReceived + icpSent) / minutes);
    long polls = facts.process().loopPolls();
    page.line(
        "\tSelect loop called: %d times, %.3f ms avg",
        polls, minutes * 60_000 * facts.metrics().loops() / Math.max(1, polls));
  }

  private static double failures(PeriodCounts tally) {
    String failed = HitClass.ERROR.name().toLowerCase(Locale.ROOT);
    return PageLines.percent(tally.of(CounterFamily.CLASS, failed), SquidCounters.requests(tally));
  }

  private static double share(
      @Nullable PeriodCounts tally, ToDoubleFunction<PeriodCounts> percent) {
    return tally == null ? 0 : percent.applyAsDouble(tally);
  }

  private static void cache(
      PageLines page,
      ManagerFacts facts,
      @Nullable PeriodCounts last5,
      @Nullable PeriodCounts last60) {
    page.plain("Cache information for loligo:");
    both(
        page,
        "Hits as % of all requests",
        last5,
        last60,
        one -> PageLines.percent(one.of(Counter.HITS), SquidCounters.requests(one)));
    both(
        page,
        "Hits as % of bytes sent",
        last5,
        last60,
        one -> PageLines.percent(one.of(Counter.HIT_BYTES_OUT), one.of(Counter.CLIENT_BYTES_OUT)));
    both(
        page,
        "Memory hits as % of hit requests",
        last5,
        last60,
        one -> PageLines.percent(ofTag(one, LogTag.TCP_MEM_HIT), one.of(Counter.HITS)));
    both(
        page,
        "Disk hits as % of hit requests",
        last5,
        last60,
        one -> PageLines.percent(ofTag(one, LogTag.TCP_HIT), one.of(Counter.HITS)));
    StoreStats store = facts.store();
    long used = facts.disks().stream().mapToLong(DiskStats::usedBytes).sum();
    long capacity = facts.disks().stream().mapToLong(DiskStats::capacityBytes).sum();
    long objects = facts.disks().stream().mapToLong(DiskStats::objects).sum();
    page.line("\tStorage Swap size:\t%.0f KB", PageLines.kilobytes(used));
    share(page, "Storage Swap capacity", used, capacity);
    page.line("\tStorage Mem size:\t%.0f KB", PageLines.kilobytes(store.memoryBytes()));
    share(page, "Storage Mem capacity", store.memoryBytes(), store.memoryLimitBytes());
    page.line("\tMean Object Size:\t%.2f KB", PageLines.kilobytes(meanBytes(store, used, objects)));
    page.plain("\tRequests given to unlinkd:\t0");
  }

  /** Of the responses on disk; without any, of those in memory. */
  private static long meanBytes(StoreStats store, long usedBytes, long objects) {
    return objects > 0 ? usedBytes / objects : store.memoryBytes() / Math.max(1, store.entries());
  }

  private static long ofTag(PeriodCounts tally, LogTag tag) {
    return tally.of(CounterFamily.RESULT, tag.ordinal());
  }

  private static void both(
      PageLines page,
      String name,
      @Nullable PeriodCounts last5,
      @Nullable PeriodCounts last60,
      ToDoubleFunction<PeriodCounts> percent) {
    page.line(
        "\t%s:\t5min: %.1f%%, 60min: %.1f%%", name, share(last5, percent), share(last60, percent));
  }

  private static void share(PageLines page, String name, long used, long capacity) {
    double percent = Math.min(100, PageLines.percent(used, capacity));
    page.line("\t%s:\t%4.1f%% used, %4.1f%% free", name, percent, 100 - percent);
  }

  private static void times(
      PageLines page, @Nullable PeriodCounts last5, @Nullable PeriodCounts last60) {
    page.plain("Median Service Times (seconds)  5 min    60 min:");
    for (ServiceTime time : ServiceTime.values()) {
      page.line(
          "\t%-21s %8.5f %8.5f",
          time.title() + ":",
          CounterPages.seconds(last5, time, 50),
          CounterPages.seconds(last60, time, 50));
    }
    page.line("\t%-21s %8.5f %8.5f", "ICP Queries:", 0.0, 0.0);
  }

  private static void resources(
      PageLines page,
      ManagerFacts facts,
      @Nullable PeriodCounts last5,
      @Nullable PeriodCounts last60) {
    ProcessFacts process = facts.process();
    double up = Math.max(1, facts.nowMillis() - process.startMillis()) / 1_000.0;
    double cpu = PageLines.seconds(process.cpuNanos());
    page.plain("Resource usage for loligo:");
    page.line("\tUP Time:\t%.3f seconds", up);
    page.line("\tCPU Time:\t%.3f seconds", cpu);
    page.line("\tCPU Usage:\t%.2f%%", 100 * cpu / up);
    page.line("\tCPU Usage, 5 minute avg:\t%.2f%%", share(last5, PeriodCounts::cpuPercent));
    page.line("\tCPU Usage, 60 minute avg:\t%.2f%%", share(last60, PeriodCounts::cpuPercent));
    page.line("\tMaximum Resident Size: %d KB", process.maxResidentBytes() / 1024);
    page.line("\tPage faults with physical i/o: %d", process.pageFaults());
    page.plain("Memory accounted for:");
    page.line("\tTotal accounted:       %6d KB", process.memoryBytes() / 1024);
    page.line("\tmemPoolAlloc calls: %9d", process.buffers().allocated());
    page.line("\tmemPoolFree calls:  %9d", process.buffers().freed());
  }

  private static void descriptors(PageLines page, ProcessFacts.Descriptors descriptors) {
    page.plain("File descriptor usage for loligo:");
    long free = Math.max(0, descriptors.limit() - descriptors.open());
    page.line("\tMaximum number of file descriptors:   %4d", descriptors.limit());
    page.line("\tLargest file desc currently in use:   %4d", descriptors.largest());
    page.line("\tNumber of file desc currently in use: %4d", descriptors.open());
    page.line("\tFiles queued for open:                %4d", 0);
    page.line("\tAvailable number of file descriptors: %4d", free);
    page.line("\tReserved number of file descriptors:  %4d", descriptors.reserved());
    page.line("\tStore Disk files open:                %4d", descriptors.disk());
  }

  private static void structures(PageLines page, ManagerFacts facts) {
    StoreStats store = facts.store();
    long onDisk = facts.disks().stream().mapToLong(DiskStats::objects).sum();
    page.plain("Internal Data Structures:");
    page.line("\t%6d StoreEntries", Math.max(onDisk, store.entries()));
    page.line("\t%6d StoreEntries with MemObjects", store.entries() + store.inFlight());
    page.line("\t%6d Hot Object Cache Items", store.entries());
    page.line("\t%6d on-disk objects", onDisk);
  }
}
