package io.loligo.server.jmx;

import java.util.Map;

/** Finished exchanges by class, result and status, and the bytes they moved. */
@Description("Finished exchanges by class, result and status, and the bytes they moved.")
public interface ClassesMXBean {
  @Description("Finished exchanges.")
  @Units("exchanges")
  long getExchanges();

  @Description("Finished exchanges that count as hits.")
  @Units("exchanges")
  long getHits();

  @Description("Hits over exchanges, from 0 to 1.")
  @Units("ratio")
  double getHitRatio();

  @Description("Bytes sent in hits over bytes sent, from 0 to 1.")
  @Units("ratio")
  double getByteHitRatio();

  @Description("Finished exchanges by class of their response.")
  @Units("exchanges")
  Map<String, Long> getByClass();

  @Description("Finished exchanges by the access log's result code.")
  @Units("exchanges")
  Map<String, Long> getByResult();

  @Description("Finished exchanges by class of the status sent.")
  @Units("exchanges")
  Map<String, Long> getByStatus();

  @Description("Error responses made by the proxy, by reason.")
  @Units("answers")
  Map<String, Long> getErrors();

  @Description("Bytes read from clients, request heads included.")
  @Units("bytes")
  long getClientReceivedBytes();

  @Description("Bytes written to clients, response heads included.")
  @Units("bytes")
  long getClientSentBytes();

  @Description("Bytes read from origins and parents, heads included.")
  @Units("bytes")
  long getServerReceivedBytes();

  @Description("Bytes written to origins and parents, heads included.")
  @Units("bytes")
  long getServerSentBytes();
}
