/** Name resolution that never blocks. */
package io.loligo.server.upstream.names;
