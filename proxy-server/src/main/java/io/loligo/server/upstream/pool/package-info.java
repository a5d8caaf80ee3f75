/** Connections to origins and parents that are kept for further requests. */
package io.loligo.server.upstream.pool;
