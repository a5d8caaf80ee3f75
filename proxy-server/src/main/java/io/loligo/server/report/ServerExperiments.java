package io.loligo.server.report;

import io.loligo.server.report.Aggregates.BySize;
import io.loligo.server.report.Curve.Color;
import java.util.List;

/** Experiments 21 to 31: the server's side, and the client's side. */
final class ServerExperiments {
  private static final LoggedStage CONNECT = LoggedStage.PROXY_CONNECT;
  private static final LoggedStage SERVER = LoggedStage.SERVER_LAST_BYTE;
  private static final LoggedStage CLIENT = LoggedStage.CLIENT_CONNECT;
  private static final LoggedStage REPLY = LoggedStage.PROXY_REPLY;

  private static final String VALIDATIONS = "A hit asks a server to validate a stored response.";

  private final ReportNumbers numbers;

  ServerExperiments(ReportNumbers numbers) {
    this.numbers = numbers;
  }

  List<Experiment> all() {
    return List.of(
        connections(),
        connectTime(),
        connectTimes(),
        serverReply(),
        serverReplyBySize(),
        serverTime(),
        clientConnect(),
        proxyReply(),
        proxyReplyByClass(),
        proxyReplyBySize(),
        proxyReplyOfSmall());
  }

  private Experiment overTime(int number, String title, String meaning, Axis vertical) {
    return new Experiment(numbers, number, title, meaning, Axis.TIME, numbers.times(), vertical);
  }

  private Experiment hitsAndMisses(
      int number, String title, String meaning, Measure hits, Measure misses, LoggedStage needed) {
    return overTime(number, title, meaning, Axis.MEDIAN_MS)
        .curve("hits", Color.HITS, numbers.medians(hits), needed)
        .curve("misses", Color.MISSES, numbers.medians(misses), needed)
        .finds(words(needed, "hits", hits, "misses", misses));
  }

  private String words(LoggedStage needed, Object... namesAndMeasures) {
    return numbers.counted().count(needed) == 0 ? "" : numbers.medianWords(namesAndMeasures);
  }

  private double[] outgoing(Measure measure) {
    return numbers.counted().count(SERVER) == 0
        ? numbers.each(group -> Double.NaN)
        : numbers.active(measure, 0.5);
  }

  private Experiment connections() {
    return overTime(
            21,
            "Concurrent outgoing connections",
            "How many connections to servers are in use at the same time: the median of samples"
                + " every 10 ms. "
                + VALIDATIONS,
            Axis.number("connections, median"))
        .curve("hits", Color.HITS, outgoing(Measure.OUTGOING_HIT), CONNECT, SERVER)
        .curve("misses", Color.MISSES, outgoing(Measure.OUTGOING_MISS), CONNECT, SERVER)
        .finds(
            "At most "
                + NumberText.of(numbers.whole().get(Measure.OUTGOING_MISS).quantile(1))
                + " for misses at once.");
  }

  private Experiment connectTime() {
    return hitsAndMisses(
        22,
        "Proxy connect time",
        "The median time to open a connection to a server, without DNS; only requests that opened"
            + " one. "
            + VALIDATIONS,
        Measure.CONNECT_HIT,
        Measure.CONNECT_MISS,
        CONNECT);
  }

  private Experiment connectTimes() {
    TimeGroup whole = numbers.whole();
    TimeGroup peak = numbers.peak();
    double[] x =
        ReportNumbers.points(whole.get(Measure.CONNECT_HIT), whole.get(Measure.CONNECT_MISS));
    return new Experiment(
            numbers,
            23,
            "Distribution of proxy connect times",
            "How many of 100 connections to servers were open within the time below. Dashed: the "
                + numbers.peakName()
                + ". A second step at about 1,000 or 3,000 ms is a lost packet.",
            Axis.DURATION_MS,
            ReportNumbers.toMillis(x),
            Axis.percent("% of connections, cumulative"))
        .curve("hits", Color.HITS, of(whole, Measure.CONNECT_HIT, x), CONNECT)
        .curve("misses", Color.MISSES, of(whole, Measure.CONNECT_MISS, x), CONNECT)
        .peak("hits", Color.HITS, of(peak, Measure.CONNECT_HIT, x), CONNECT)
        .peak("misses", Color.MISSES, of(peak, Measure.CONNECT_MISS, x), CONNECT);
  }

  private static double[] of(TimeGroup group, Measure measure, double[] points) {
    return ReportNumbers.cumulative(group.get(measure), points);
  }

  private Experiment serverReply() {
    return hitsAndMisses(
        24,
        "Server reply time",
        "The median time from the request to a server until the last byte of its response. Hits"
            + " are validations, which a server answers with 304.",
        Measure.SERVER_HIT,
        Measure.SERVER_MISS,
        SERVER);
  }

  private Experiment serverReplyBySize() {
    return new Experiment(
            numbers,
            25,
            "Server reply time and size",
            "The median time of a server's reply for responses of about the size below. Hits are"
                + " flat: a 304 has no content.",
            Axis.SIZE,
            numbers.sizes(BySize.SERVER_HIT),
            Axis.MEDIAN_MS)
        .curve("hits", Color.HITS, numbers.bySize(BySize.SERVER_HIT), SERVER)
        .curve("misses", Color.MISSES, numbers.bySize(BySize.SERVER_MISS), SERVER);
  }

  private Experiment serverTime() {
    return hitsAndMisses(
        26,
        "Server response time",
        "The median of connect and reply together: all the time that a request spends on a"
            + " server.",
        Measure.BOTH_HIT,
        Measure.BOTH_MISS,
        SERVER);
  }

  private Experiment clientConnect() {
    return hitsAndMisses(
            27,
            "Client connect time",
            "The median time from the accepted connection, or the first byte on one that was kept,"
                + " to a complete request. It depends on the clients and their network.",
            Measure.CLIENT_HIT,
            Measure.CLIENT_MISS,
            CLIENT)
        .lacks("neighbours", "no log says which clients are neighbours");
  }

  private Experiment proxyReply() {
    return overTime(
            28,
            "Proxy reply time",
            "The median time from the first byte given to the client's connection to the last one"
                + " written. Misses wait for the server's bytes meanwhile.",
            Axis.MEDIAN_MS)
        .curve("all", Color.ALL, numbers.medians(Measure.REPLY_HIT, Measure.REPLY_MISS), REPLY)
        .curve("hits", Color.HITS, numbers.medians(Measure.REPLY_HIT), REPLY)
        .curve("misses", Color.MISSES, numbers.medians(Measure.REPLY_MISS), REPLY)
        .finds(words(REPLY, "hits", Measure.REPLY_HIT, "misses", Measure.REPLY_MISS));
  }

  private Experiment proxyReplyByClass() {
    return overTime(
            29,
            "Proxy reply time by class",
            "The same for hits with content, for hits answered 304 without content, and for"
                + " misses.",
            Axis.MEDIAN_MS)
        .curve("200 hits", Color.HITS, numbers.medians(Measure.REPLY_200), REPLY)
        .curve("304 hits", Color.THIRD, numbers.medians(Measure.REPLY_304), REPLY)
        .curve("misses", Color.MISSES, numbers.medians(Measure.REPLY_MISS), REPLY)
        .finds(
            words(
                REPLY,
                "200 hits",
                Measure.REPLY_200,
                "304 hits",
                Measure.REPLY_304,
                "misses",
                Measure.REPLY_MISS));
  }

  private Experiment proxyReplyBySize() {
    return new Experiment(
            numbers,
            30,
            "Proxy reply time and size",
            "The median time of the proxy's reply for responses of about the size below. It rises"
                + " where the client's network limits it.",
            Axis.SIZE,
            numbers.sizes(BySize.REPLY_HIT),
            Axis.MEDIAN_MS)
        .curve("hits", Color.HITS, numbers.bySize(BySize.REPLY_HIT), REPLY)
        .curve("misses", Color.MISSES, numbers.bySize(BySize.REPLY_MISS), REPLY);
  }

  private Experiment proxyReplyOfSmall() {
    return new Experiment(
            numbers,
            31,
            "Proxy reply time and size, small responses",
            "The same for up to 8 KB, in groups of 256 bytes.",
            new Axis("response size", Axis.Scale.BYTES),
            numbers.sizes(BySize.SMALL_REPLY_MISS),
            Axis.MEDIAN_MS)
        .curve("200 hits", Color.HITS, numbers.bySize(BySize.SMALL_REPLY_200), REPLY)
        .curve("304 hits", Color.THIRD, numbers.bySize(BySize.SMALL_REPLY_304), REPLY)
        .curve("misses", Color.MISSES, numbers.bySize(BySize.SMALL_REPLY_MISS), REPLY);
  }
}
