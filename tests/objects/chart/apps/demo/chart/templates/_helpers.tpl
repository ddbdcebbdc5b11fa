{{- define "demo.labels" -}}
app: {{ .Release.Name }}
tier: server
{{- end -}}
